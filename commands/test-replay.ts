import type { Session, SessionId, SessionStore } from '../src/core/index.js';
import { count, escapeText, HitlError, isHitlError, joined, messageOf, shown } from '../src/core/index.js';
import type { Graph, ReplayReport } from '../src/graph/index.js';
import { hasCode, replayCheck } from '../src/graph/index.js';
import { rowsWithin } from '../src/render/index.js';
import { flowFile, loadFlow } from './agent/load-flow.js';
import { trustFlow } from './agent/agreed-modules.js';
import { statusOf } from './exit/exit-codes.js';
import type { PreviewFlags, SessionFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { printJson } from './host/index.js';
import { replayText } from './report/replay-text.js';
import { stdoutTable } from './screen/theme.js';
import { openStore } from './store/store.js';

interface ReplayFlags extends SessionFlags, PreviewFlags {
  /** Whether to replay all unfinished sessions of the workflow. */
  readonly all?: boolean;
}

/**
 * `hitl test-replay`: replays sessions with the current code and reports differences. It does not run any
 * operations.
 * @throws HitlError USAGE for a workflow that contains no code.
 */
export async function testReplay(
  io: Io,
  named: string,
  given: string | undefined,
  flags: ReplayFlags,
): Promise<number> {
  if ((given === undefined) === (flags.all !== true))
    throw new HitlError(
      'USAGE',
      given === undefined ? 'missing session id' : '`--all` does not accept a session id',
      {
        hint: 'hitl test-replay <flow> <id>, or all unfinished sessions: hitl test-replay <flow> --all',
      },
    );
  const store = openStore(io, flags);
  const id = given === undefined ? undefined : await store.resolve(given);
  const file = await flowFile(io, named);
  const agreed = await trustFlow(io, { ...flags, save: false }, modeOf(io, flags), file);
  const graph = await loadFlow(io, { file: file.file, agreed });
  if (!hasCode(graph.nodes))
    throw new HitlError(
      'USAGE',
      `test-replay only works for workflows written as functions; \`${graph.name}\` is a graph`,
      { hint: 'compare a session with a changed graph: hitl migrate <id> --dry-run' },
    );
  if (id === undefined) return replayAll(io, flags, { store, graph });
  await using session = await store.open(id, 'read');
  const report = await replayCheck(graph, session);
  if (flags.json === true) printJson(io, { session: session.id, ...report });
  else io.stdout.write(rowsWithin(shown`${replayText(report)}\n`, stdoutTable(io, flags.color).columns));
  return report.difference === undefined ? 0 : statusOf('NONDETERMINISM');
}

/** A session and its replay result, or the reason that it was not replayed. */
interface Replayed {
  readonly session: SessionId;
  readonly report?: ReplayReport;
  readonly problem?: string;
}

async function replayAll(
  io: Io,
  { json, color }: ReplayFlags,
  { store, graph }: { readonly store: SessionStore; readonly graph: Graph },
): Promise<number> {
  const replayed: Replayed[] = [];
  const replay = async (id: SessionId): Promise<void> => {
    await using session = await store.open(id, 'read');
    if (session.state.graph?.name === graph.name) replayed.push(await replayOf(session, graph));
  };
  for await (const { id, status } of store.list())
    if (status !== 'done' && status !== 'unreadable') await replay(id);
  const fit = replayed.filter(({ report }) => report !== undefined && report.difference === undefined).length;
  const others = replayed.filter(({ report }) => report === undefined || report.difference !== undefined);
  if (json === true) printJson(io, { workflow: graph.name, fit, differ: others.length, sessions: replayed });
  else {
    const lines = others.map(
      ({ session, report, problem = '' }) =>
        shown`${session}  ${report === undefined ? escapeText(problem) : replayText(report)}`,
    );
    const name = escapeText(graph.name);
    const sum = shown`${count(replayed.length, 'session')} of ${name}: ${fit} fit, ${others.length} differ`;
    io.stdout.write(rowsWithin(shown`${joined([...lines, sum])}\n`, stdoutTable(io, color).columns));
  }
  return others.length === 0 ? 0 : statusOf('NONDETERMINISM');
}

async function replayOf(session: Session, graph: Graph): Promise<Replayed> {
  try {
    return { session: session.id, report: await replayCheck(graph, session) };
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return { session: session.id, problem: messageOf(thrown) };
  }
}
