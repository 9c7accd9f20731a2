import type { Message, RunState } from '../../src/core/index.js';
import { count, isQuestion, onOneLine, openInterrupts, plainLine, textOf } from '../../src/core/index.js';
import { formatAge } from '../../src/render/index.js';

/** The most columns that are told of a title, and of what was said. */
const TITLE_COLUMNS = 48;
const SAID_COLUMNS = 68;
const LEAST_COLUMNS = 20;

interface Telling {
  readonly now: number;
  /** Of the terminal; unknown where it is none. */
  readonly columns?: number | undefined;
}

/**
 * Tells what has happened in a session so far, for somebody who comes back to it: what it is about, and the last words.
 */
export function storyLines(state: RunState, { now, columns = 80 }: Telling): readonly string[] {
  const room = Math.max(LEAST_COLUMNS, Math.min(SAID_COLUMNS, columns - 12));
  const asked = lastText(state, 'user');
  const said = lastText(state, 'model');
  const turns = state.graph === undefined ? [count(state.turns, 'turn')] : [];
  return [
    [titleOf(state), ...turns, ...waitingWords(state, now)].join(' · '),
    ...(asked === '' ? [] : [`  you    ${oneLine(asked, room)}`]),
    ...(said === '' ? [] : [`  model  ${oneLine(said, room)}`]),
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

/** The last words of somebody; of a model also those before the calls that are open. */
function lastText({ entries, open }: RunState, role: Message['role']): string {
  const messages = [...entries.toArray().map(({ message }) => message), ...(open ? [open.message] : [])];
  const found = messages.findLast((message) => message.role === role && textOf(message).trim() !== '');
  return found === undefined ? '' : textOf(found);
}

function oneLine(text: string, columns: number): string {
  return plainLine(onOneLine(text), columns);
}
