import type { RunState } from '../../src/core/index.js';
import { count, isQuestion, onOneLine, openInterrupts, plainLine, textOf } from '../../src/core/index.js';
import { formatAge } from '../../src/render/index.js';

/** Width of a title, and of the last text. */
const TITLE_COLUMNS = 48;
const SAID_COLUMNS = 68;
const LEAST_COLUMNS = 20;

const WHO = { user: 'you    ', model: 'model  ' } as const;

interface Telling {
  readonly now: number;
  /** Width of the terminal, if it is one. */
  readonly columns?: number | undefined;
}

/** Summarizes a session for a returning user: its subject, and the last text of either side, in their order. */
export function storyLines(state: RunState, { now, columns = 80 }: Telling): readonly string[] {
  const room = Math.max(LEAST_COLUMNS, Math.min(SAID_COLUMNS, columns - 12));
  const last = [lastText(state, 'user'), lastText(state, 'model')].sort((one, other) => one.at - other.at);
  const turns = state.graph === undefined ? [count(state.turns, 'turn')] : [];
  return [
    [titleOf(state), ...turns, ...waitingWords(state, now)].join(' · '),
    ...last.flatMap(({ at, who, text }) => (at < 0 ? [] : [`  ${who}${oneLine(text, room)}`])),
  ];
}

function titleOf(state: RunState): string {
  const { title, entries } = state;
  if (title !== undefined) return oneLine(title, TITLE_COLUMNS);
  const first = entries.toArray().find(({ message }) => message.role === 'user');
  return first === undefined ? 'no messages yet' : oneLine(textOf(first.message), TITLE_COLUMNS);
}

function waitingWords(state: RunState, now: number): readonly string[] {
  const open = openInterrupts(state).filter(isQuestion);
  const [first = ''] = open.map(({ raisedAt }) => raisedAt).sort();
  if (open.length === 0) return [];
  const what = count(open.length, 'open question', 'open questions');
  return [`${what}, asked ${formatAge(first, now)}`];
}

interface LastText {
  /** Index among the messages; -1 if there is none. */
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

/** Returns the last text of a side; of a model also the text before open calls. */
function lastText({ entries, open }: RunState, role: 'user' | 'model'): LastText {
  const messages = [...entries.toArray().map(({ message }) => message), ...(open ? [open.message] : [])];
  const at = messages.findLastIndex((message) => message.role === role && textOf(message).trim() !== '');
  const found = messages[at];
  return { at, who: WHO[role], text: found === undefined ? '' : textOf(found) };
}

function oneLine(text: string, columns: number): string {
  return plainLine(onOneLine(text), columns);
}
