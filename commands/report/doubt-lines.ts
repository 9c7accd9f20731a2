import type { GraphFrame, RunState, SessionStore, SessionSummary, Shown } from '../../src/core/index.js';
import {
  callTitleOf,
  escapeText,
  isHitlError,
  joined,
  plainLine,
  shown,
  unescapeText,
} from '../../src/core/index.js';
import { isOfProgram } from '../asking/standing.js';

/** Maximum number of stopped sessions to examine, newest first. */
export const MOST_READ = 20;
/** Width of a description, in columns. */
const WORDS_COLUMNS = 60;

/**
 * Lists stopped sessions that are in doubt: a call that must not run twice had started when its process
 * ended, so the session must be resumed to ask what happened. With `all`, also lists sessions that stopped
 * for another reason, except those that ask questions from programs. Skips unreadable sessions.
 */
export async function doubtLines(
  store: SessionStore,
  sessions: Iterable<SessionSummary> | AsyncIterable<SessionSummary>,
  { all = false }: { readonly all?: boolean } = {},
): Promise<readonly Shown[]> {
  const lines: Shown[] = [];
  let read = 0;
  for await (const { id, status, title } of sessions) {
    if (status !== 'interrupted') continue;
    if (read === MOST_READ) break;
    read += 1;
    const state = await stateOf(store, id);
    const words = doubtsIn(state).map((one) => plainLine(unescapeText(one), WORDS_COLUMNS));
    if (words.length > 0)
      lines.push(shown`In doubt: ${joined(words, ', ')}. hitl resume ${id} asks what happened.`);
    // A program that asked takes its answer itself; there is nothing to resume.
    else if (all && state !== undefined && !isOfProgram(state))
      lines.push(shown`Interrupted: “${plainLine(title, WORDS_COLUMNS)}”. hitl resume ${id} continues it.`);
  }
  return lines;
}

async function stateOf(store: SessionStore, id: SessionSummary['id']): Promise<RunState | undefined> {
  try {
    await using session = await store.open(id, 'read');
    return session.state;
  } catch (thrown) {
    if (isHitlError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Returns the titles or names of calls that must not run twice and that started but did not finish. The text
 * is safe for a terminal.
 */
function doubtsIn(state: RunState | undefined): readonly string[] {
  const calls = state?.open?.calls ?? [];
  const running = calls.flatMap(({ request: { name, input }, state: call }) =>
    call.status === 'started' && call.effect === 'once'
      ? [
          callTitleOf({ name, input, ...(call.title !== undefined && { title: call.title }) }) ??
            escapeText(name),
        ]
      : [],
  );
  return state?.graph === undefined ? running : [...running, ...doubtsInGraph(state.graph)];
}

function doubtsInGraph({ current }: GraphFrame): readonly string[] {
  if (current?.phase !== 'run') return [];
  const inner = [...current.frames.values()].flatMap(doubtsIn);
  const steps = [...current.operations.entries()]
    .filter(([, one]) => one.status === 'started' && one.effect === 'once' && one.at === undefined)
    .map(([key]) => escapeText(key));
  const isBody = current.operations.size === 0 && current.frames.size === 0;
  const body = isBody && current.status === 'started' && current.effect === 'once' ? [current.node] : [];
  return [...inner, ...steps, ...body.map(escapeText)];
}
