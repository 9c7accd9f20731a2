import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { RunState, Session } from '../src/core/index.js';
import {
  escapeText,
  HitlError,
  parseStrictJson,
  plainLine,
  present,
  shown,
  shownJson,
} from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import type { Expectations, GraphStart } from '../src/graph/index.js';
import { evaluateRun, readExpectations } from '../src/graph/index.js';
import { newSessionId } from '../sessions/index.js';
import type { FlowFile } from './agent/load-flow.js';
import { composeAgent } from './agent/agent.js';
import { flowFile, flowOfSession } from './agent/load-flow.js';
import { effectiveFlags } from './config/effective.js';
import { storeFor } from './store/store.js';
import type { ExitStatus } from './exit/exit-codes.js';
import type { Io } from './host/index.js';
import { tell } from './host/index.js';
import type { Earlier, StartFlags } from './input/flow-start.js';
import { earlierRun, startFrom } from './input/flow-start.js';
import { firstText } from './input/first-text.js';
import { namedText } from './input/named-text.js';
import { modeOf } from './flags/mode.js';
import { inNewSession } from './running/new-session.js';
import { runSession } from './running/run-session.js';
import { unsavedNotices } from './running/unsaved.js';
import type { FlowFlags } from './flags/options.js';

interface NewRunFlags extends FlowFlags, StartFlags {
  /** File with the expected results of the run. */
  readonly expect?: string;
  /** Id of a finished session to run again. */
  readonly again?: string;
}

/** Width of a title in lists, in columns. */
const TITLE_COLUMNS = 60;

/** `hitl run`: runs a workflow in a new session. */
export async function run(
  io: Io,
  named: string | undefined,
  words: readonly string[],
  given: NewRunFlags,
): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const input = await firstText(io, flags, words);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const expected = given.expect === undefined ? undefined : await expectationsIn(io, given.expect);
  const store = storeFor(io, flags);
  const earlier = given.again === undefined ? undefined : await earlierRun(store, given.again);
  const flow = await fileOf(io, named, earlier);
  const was = present({ saved: earlier?.state.agent, began: earlier?.state.cwd });
  await using agent = await composeAgent(io, flags, mode, { id, config, store, flow, ...was });
  const { fingerprint, notices, graph } = agent;
  if (graph === undefined) throw new HitlError('INTERNAL', 'no workflow loaded');
  const title = plainLine(input === undefined ? graph.name : `${graph.name}: ${input}`, TITLE_COLUMNS);
  const start = startFrom(given, input, earlier?.start);
  const made = {
    id,
    agent: fingerprint,
    title,
    hasBegun: (state: RunState) => state.graph !== undefined,
  };
  return await inNewSession(io, store, made, async (session) => {
    const status = await runSession(io, flags, {
      store,
      session,
      agent,
      mode,
      notices: [...notices, ...againNotices(earlier, start), ...unsavedNotices(flags)],
      start,
    });
    return expected === undefined ? status : ((await compare(io, session, expected)) ?? status);
  });
}

/** Returns the specified workflow file or, if none is specified, that of the earlier run. */
async function fileOf(io: Io, named: string | undefined, earlier: Earlier | undefined): Promise<FlowFile> {
  if (named !== undefined) return await flowFile(io, named);
  if (earlier === undefined)
    throw new HitlError('USAGE', 'missing workflow', {
      hint: 'hitl run <flow>, or hitl run --again <id>',
    });
  return flowOfSession(io, earlier, `hitl run <flow> --again ${earlier.id}`);
}

/** Lists the inputs taken from the earlier run. */
function againNotices(earlier: Earlier | undefined, { set = {} }: GraphStart): readonly string[] {
  if (earlier === undefined) return [];
  const said = Object.entries(set).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [`another run of ${earlier.id}${said.length === 0 ? '' : `, with ${said.join(' ')}`}`];
}

/** @throws HitlError USAGE if the file is unreadable or contains no expectations. */
async function expectationsIn(io: Io, file: string): Promise<Expectations> {
  const json = parseStrictJson(await namedText(resolve(io.cwd, file), `\`${file}\``));
  if (!json.ok) throw new HitlError('USAGE', `\`${file}\` is not JSON: ${json.message}`);
  return readExpectations(json.value);
}

/**
 * Compares the run with the expected results. Returns the exit status for a mismatch, or `undefined` if
 * everything matches.
 */
async function compare(io: Io, session: Session, expected: Expectations): Promise<ExitStatus | undefined> {
  const events = await eventsOf(session);
  const { scores, verdict } = evaluateRun(
    events.map(({ event }) => event),
    expected,
  );
  for (const score of scores) {
    const was = score.verdict === 'pass' ? shown`` : shown`: it was ${shownJson(score.actual)}`;
    tell(io.stderr, shown`expected ${escapeText(score.metric)}: ${escapeText(score.verdict)}${was}`);
  }
  return verdict === 'fail' ? 9 : undefined;
}
