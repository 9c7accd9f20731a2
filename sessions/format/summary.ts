import type { Entry, RunState, SessionId, SessionStatus, SessionSummary } from '../../src/core/index.js';
import { isoTime, nextTimer, openInterrupts, textOf } from '../../src/core/index.js';

const TITLE_LENGTH = 60;

/** The status of a session by its state alone: whether it is in use is another question. */
export type RestingStatus = Exclude<SessionStatus, 'running' | 'unreadable'>;

/** The title that was given, else the first words of the first user message; one line of at most 60 characters. */
export function titleOf(state: RunState): string {
  if (state.title !== undefined) return state.title;
  for (const { message } of state.entries) {
    const text = message.role === 'user' ? textOf(message).trim() : '';
    if (text !== '') return shorten(text);
  }
  return '';
}

function shorten(text: string): string {
  // Four times the length holds 60 code points and their white space, without looking at a whole pasted book.
  const characters = Array.from(text.slice(0, TITLE_LENGTH * 4).replace(/\s+/g, ' '));
  if (characters.length <= TITLE_LENGTH) return characters.join('');
  return `${characters
    .slice(0, TITLE_LENGTH - 1)
    .join('')
    .trimEnd()}…`;
}

/**
 * Says how a session rests. `waiting`: a person is asked. `interrupted`: it stopped before its work was done, by a
 * person, a limit or the death of its process.
 */
export function restingStatus(state: RunState): RestingStatus {
  if (openInterrupts(state).length > 0) return 'waiting';
  switch (state.ended?.type) {
    case 'failed':
      return 'failed';
    case 'aborted':
    case 'limit':
      return 'interrupted';
    case 'done':
    case 'finished':
      return 'done';
    case undefined:
      if (isFlow(state)) return 'interrupted';
      return state.open === undefined && isAnswered(state.entries.at(-1)) ? 'done' : 'interrupted';
  }
}

/**
 * Says when something is to be done in a session by whoever comes: `now` where its work stands still and waits for
 * nobody; at a moment (milliseconds since 1970), where that is what it waits for; `undefined` where a person is needed.
 */
export function dueOf(state: RunState): number | 'now' | undefined {
  if (restingStatus(state) === 'interrupted' && state.ended === undefined) return 'now';
  return nextTimer(state)?.at;
}

/** A workflow says itself when it is done; one that was rewound or forked goes on. */
function isFlow({ graph, agent }: RunState): boolean {
  return graph !== undefined || agent?.flow !== undefined;
}

/** Nothing was said, or the model had the last word. */
function isAnswered(last: Entry | undefined): boolean {
  return last === undefined || last.message.role === 'model' || last.message.role === 'system';
}

/** Makes the entry of a session in a list. `isInUse`: a live process holds its lock. */
export function summaryOf(
  id: SessionId,
  session: { readonly state: RunState; readonly createdAt: string; readonly updatedAt: string },
  isInUse: boolean,
): SessionSummary {
  const { state, createdAt, updatedAt } = session;
  const resting = restingStatus(state);
  const timer = nextTimer(state);
  return {
    id,
    title: titleOf(state),
    status: statusOf(resting, isInUse),
    waiting: openInterrupts(state).length,
    turns: state.turns,
    createdAt,
    updatedAt,
    ...(timer !== undefined && { until: isoTime(timer.at) }),
  };
}

/** A session in use is `running`, unless it waits for a person: then that is what a list has to say. */
export function statusOf(resting: RestingStatus, isInUse: boolean): RestingStatus | 'running' {
  return isInUse && resting !== 'waiting' ? 'running' : resting;
}

/** The place of a session in a list. */
type Place = Pick<SessionSummary, 'id' | 'updatedAt'>;

/** Orders summaries by their last change; by id where that is the same. */
export function newestFirst(left: Place, right: Place): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt < right.updatedAt ? 1 : -1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? 1 : -1;
}
