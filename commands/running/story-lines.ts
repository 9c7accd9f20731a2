import type { RunState } from '../../src/core/index.js';
import { count, isQuestion, onOneLine, openInterrupts, plainLine, textOf } from '../../src/core/index.js';
import { formatAge } from '../../src/render/index.js';

/** Maximum widths of the title and of the last text, in columns. */
const TITLE_COLUMNS = 48;
const SAID_COLUMNS = 68;
const LEAST_COLUMNS = 20;

const WHO = { user: 'you    ', model: 'model  ' } as const;

interface Telling {
  readonly now: number;
  /** Width of the terminal, if the output is one. */
  readonly columns?: number | undefined;
}

/**
 * Summarizes a session for a returning user: its subject, followed by the last texts from the user and the
 * model, in order.
 */
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
  /** Index of the message; -1 if there is none. */
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

/** Returns the last text from the user or the model, including text before open calls. */
function lastText({ entries, open }: RunState, role: 'user' | 'model'): LastText {
  const messages = [...entries.toArray().map(({ message }) => message), ...(open ? [open.message] : [])];
  const at = messages.findLastIndex((message) => message.role === role && textOf(message).trim() !== '');
  const found = messages[at];
  return { at, who: WHO[role], text: found === undefined ? '' : textOf(found) };
}

function oneLine(text: string, columns: number): string {
  return plainLine(onOneLine(text), columns);
}
