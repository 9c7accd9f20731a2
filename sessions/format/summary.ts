import type { Entry, RunState, SessionId, SessionStatus, SessionSummary } from '../../src/core/index.js';
import { isoTime, nextTimer, openInterrupts, sessionTitle } from '../../src/core/index.js';

/** The status of a session by its state alone, regardless of whether it is in use. */
export type RestingStatus = Exclude<SessionStatus, 'running' | 'unreadable'>;

/**
 * Returns a stopped session's status. `waiting`: a person is asked. `interrupted`: a person, a limit or a
 * crash stopped it before its end.
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
 * Returns when a session can continue on its own: `now` if its work was interrupted; a time (milliseconds
 * since 1970) if it waits for that; `undefined` if a person is needed.
 */
export function dueOf(state: RunState): number | 'now' | undefined {
  if (restingStatus(state) === 'interrupted' && state.ended === undefined) return 'now';
  return nextTimer(state)?.at;
}

/** True where a session has no work to do by itself: a process that has it open waits for its user. */
export function isAtRest(state: RunState): boolean {
  return dueOf(state) !== 'now';
}

/** A workflow says itself when it is done; one that was rewound or forked goes on. */
function isFlow({ graph, agent }: RunState): boolean {
  return graph !== undefined || agent?.flow !== undefined;
}

/** Whether nothing was said, or the model replied last. */
function isAnswered(last: Entry | undefined): boolean {
  return last === undefined || last.message.role === 'model' || last.message.role === 'system';
}

/** Creates a session's list entry. `isInUse`: a live process holds its lock. */
export function summaryOf(
  id: SessionId,
  session: { readonly state: RunState; readonly createdAt: string; readonly updatedAt: string },
  isInUse: boolean,
): SessionSummary {
  const { state, createdAt, updatedAt } = session;
  const resting = restingStatus(state);
  const timer = nextTimer(state);
  const status = statusOf(resting, isInUse);
  return {
    id,
    title: sessionTitle(state),
    status,
    waiting: openInterrupts(state).length,
    turns: state.turns,
    createdAt,
    updatedAt,
    ...(timer !== undefined && { until: isoTime(timer.at) }),
    ...(status === 'running' && isAtRest(state) && { idle: true }),
    ...(state.cwd !== undefined && { folder: state.cwd }),
  };
}

/** A session in use is `running`, unless it waits for a person, which a list must show. */
export function statusOf(resting: RestingStatus, isInUse: boolean): RestingStatus | 'running' {
  return isInUse && resting !== 'waiting' ? 'running' : resting;
}

/** A session's position in a list. */
type Place = Pick<SessionSummary, 'id' | 'updatedAt'>;

/** Orders summaries by last change, then id. */
export function newestFirst(left: Place, right: Place): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt < right.updatedAt ? 1 : -1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? 1 : -1;
}
