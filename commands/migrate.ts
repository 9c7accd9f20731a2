import type { Actor, Session, SessionId, Shown } from '../src/core/index.js';
import { agentChange, escapeText, HitlError, joined, pathText, shown } from '../src/core/index.js';
import type { Graph, Migration, MovedPart } from '../src/graph/index.js';
import { migrationEvents, migrationOf } from '../src/graph/index.js';
import { rowsWithin } from '../src/render/index.js';
import { flowFile, flowOfSession, loadFlow, trustFlow } from './agent/index.js';
import { statusOf } from './exit/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { modeOf } from './flags/index.js';
import type { Io } from './host/index.js';
import { personHere, printJson, tell } from './host/index.js';
import { replayText } from './report/index.js';
import { confirmHere, stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';

interface MigrateFlags extends CommonFlags, Pick<RunFlags, 'trust'> {
  readonly dryRun?: boolean;
  /** The plan that a person saw. */
  readonly agree?: string;
}

/** `hitl migrate`: moves a session to the definition of today, when a person has seen what that is. Nothing runs. */
export async function migrate(
  io: Io,
  [given, named]: readonly unknown[],
  flags: MigrateFlags,
): Promise<number> {
  const store = await openStore(io, flags);
  const id = await store.resolve(String(given));
  await using session = await store.open(id, flags.dryRun === true ? 'read' : 'write');
  const flow =
    typeof named === 'string'
      ? await flowFile(io, named)
      : flowOfSession(io, session, `hitl migrate ${id} <flow>`);
  await trustFlow(io, { ...flags, save: false }, modeOf(io, flags), flow);
  const graph = await loadFlow(io, flow.file);
  const found = await migrationOf(graph, session);
  if (flags.json !== true) show(io, flags, found);
  const isAsked = found.parts.length > 0 && found.problem === undefined && flags.dryRun !== true;
  const by = isAsked ? await agreed(io, flags, id, found) : undefined;
  if (by !== undefined) await move(session, { graph, file: flow.file, isNamed: named !== undefined, by });
  if (flags.json === true) printJson(io, { session: id, ...found, moved: by !== undefined });
  else if (by !== undefined && flags.quiet !== true) tell(io.stderr, shown`hint: hitl resume ${id}`);
  return found.problem === undefined ? 0 : statusOf('NODE_FAILED');
}

/** The person who agrees; `undefined` where they do not. What is agreed to is what was shown. */
async function agreed(
  io: Io,
  flags: MigrateFlags,
  id: SessionId,
  { plan }: Migration,
): Promise<Actor | undefined> {
  if (flags.agree === plan) return personHere(io, 'answer');
  if (flags.agree !== undefined)
    throw new HitlError('USAGE', `\`${flags.agree}\` is not what it would be now`, {
      hint: `look again: hitl migrate ${id} --dry-run`,
    });
  if (!flags.input || !io.stdin.isTTY || !io.stderr.isTTY)
    throw new HitlError('USAGE', 'without a terminal nothing is moved unasked', {
      hint: `hitl migrate ${id} --agree ${plan}`,
    });
  const question = { message: 'Move the session to it?', yes: 'move', no: 'leave' };
  if (await confirmHere(io, flags, question)) return personHere(io, 'terminal');
  tell(io.stderr, shown`nothing was moved`);
  return undefined;
}

async function move(
  session: Session,
  {
    graph,
    file,
    isNamed,
    by,
  }: { readonly graph: Graph; readonly file: string; readonly isNamed: boolean; readonly by: Actor },
): Promise<void> {
  const { state } = session;
  const { agent } = state;
  const named = isNamed && agent !== undefined ? agentChange(state, { ...agent, flow: file }) : [];
  await session.append([...named, ...(await migrationEvents(graph, session, by))]);
  await session.saveTranscript?.();
}

function show(io: Io, { color }: MigrateFlags, { parts, replay, problem, plan }: Migration): void {
  const lines = [
    ...(parts.length === 0 ? [shown`the session runs this very definition: there is nothing to move`] : []),
    ...parts.flatMap(partLines),
    ...(replay === undefined ? [] : [replayText(replay)]),
    ...(problem === undefined ? [] : [shown`it cannot be moved: ${escapeText(problem)}`]),
    ...(parts.length === 0 || problem !== undefined ? [] : [shown`plan ${escapeText(plan)}`]),
  ];
  io.stdout.write(rowsWithin(joined([...lines, shown``], '\n'), stdoutTable(io, color).columns));
}

function partLines({ path, name, from, to, changes }: MovedPart): readonly Shown[] {
  const where = path === '' ? shown`` : shown`, at ${escapeText(pathText(path))}`;
  const versions = from === to ? shown`version ${to}` : shown`version ${from} to ${to}`;
  const rest = changes.filter(({ what }) => what !== 'version');
  return [
    shown`${escapeText(name)}${where}: ${versions}`,
    ...rest.map(({ change, thing }) => shown`  ${escapeText(`${change.padEnd(7)}  ${thing}`)}`),
  ];
}
