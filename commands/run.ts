import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject, RunState, Session } from '../src/core/index.js';
import { escapeText, HitlError, messageOf, parseStrictJson, plainLine } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import type { Expectations, GraphStart } from '../src/graph/index.js';
import { evaluateRun, readExpectations } from '../src/graph/index.js';
import { newSessionId } from '../sessions/index.js';
import { composeAgent, flowFile } from './agent/index.js';
import { effectiveFlags } from './config/index.js';
import { storeFor } from './store/index.js';
import type { ExitStatus } from './exit/index.js';
import type { Io } from './host/index.js';
import { tell } from './host/index.js';
import { firstText } from './input/index.js';
import { modeOf } from './flags/index.js';
import { inNewSession, runSession, unsavedNotices } from './running/index.js';
import type { RunFlags } from './flags/index.js';

interface FlowFlags extends RunFlags {
  readonly set?: JsonObject;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly maxIterations?: number;
  readonly seed?: number;
  /** A file of what the run should do. */
  readonly expect?: string;
}

/** Columns of a title in lists. */
const TITLE_COLUMNS = 60;

/** `hitl run`: a new session that runs a workflow. */
export async function run(io: Io, [named, words]: readonly unknown[], given: FlowFlags): Promise<number> {
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const input = await firstText(io, flags, words);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const expected = given.expect === undefined ? undefined : await expectationsIn(io, given.expect);
  const store = await storeFor(io, flags);
  const flow = await flowFile(io, String(named));
  await using agent = await composeAgent(io, flags, mode, { id, config, store, flow });
  const { fingerprint, model, tools, rules, servers, notices, graph, reason } = agent;
  if (graph === undefined) throw new HitlError('INTERNAL', 'no workflow was loaded');
  const title = plainLine(input === undefined ? graph.name : `${graph.name}: ${input}`, TITLE_COLUMNS);
  const flowRun = { graph, start: startOf(given, input), ...(reason !== undefined && { reason }) };
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
      model,
      tools,
      rules,
      servers,
      mode,
      notices: [...notices, ...unsavedNotices(flags)],
      flow: flowRun,
    });
    return expected === undefined ? status : ((await compare(io, session, expected)) ?? status);
  });
}

/** @throws HitlError USAGE where the file cannot be read, or says nothing that can be expected. */
async function expectationsIn(io: Io, file: string): Promise<Expectations> {
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch((cause: unknown) => {
    throw new HitlError('USAGE', `cannot read \`${file}\`: ${messageOf(cause)}`, { cause });
  });
  const json = parseStrictJson(text);
  if (!json.ok) throw new HitlError('USAGE', `\`${file}\` is not JSON: ${json.message}`);
  return readExpectations(json.value);
}

/** Says how the run did; the status of a failure, `undefined` where it did as expected. */
async function compare(io: Io, session: Session, expected: Expectations): Promise<ExitStatus | undefined> {
  const events = await eventsOf(session);
  const { scores, verdict } = evaluateRun(
    events.map(({ event }) => event),
    expected,
  );
  for (const score of scores) {
    const was = score.verdict === 'pass' ? '' : `: it was ${JSON.stringify(score.actual)}`;
    tell(io.stderr, escapeText(`expected ${score.metric}: ${score.verdict}${was}`));
  }
  return verdict === 'fail' ? 9 : undefined;
}

/** Gives the start of a run, as the flags and the words say it. */
function startOf(
  { set = {}, before, after, maxIterations, seed }: FlowFlags,
  input: string | undefined,
): GraphStart {
  if (input !== undefined && Object.hasOwn(set, 'input')) {
    throw new HitlError('USAGE', 'the input was given twice', { hint: 'as words, or with `--set input=…`' });
  }
  return {
    set: { ...set, ...(input !== undefined && { input }) },
    ...(before !== undefined && { before: points(before) }),
    ...(after !== undefined && { after: points(after) }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(seed !== undefined && { seed }),
  };
}

function points(names: readonly string[]): '*' | readonly string[] {
  return names.includes('*') ? '*' : names;
}
