import type { Entry, RunState, SessionId, SessionStatus, SessionSummary } from '../../src/core/index.js';
import { isoTime, nextTimer, openInterrupts, sessionTitle } from '../../src/core/index.js';

/** The status of a session based only on its state, regardless of whether a process has it open. */
export type RestingStatus = Exclude<SessionStatus, 'running' | 'unreadable'>;

/**
 * Returns the status of a stopped session. `waiting`: it has open questions. `interrupted`: a person, a limit
 * or a crash stopped it before its end.
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
 * Returns the time at which a session can continue on its own. `now`: its work was interrupted. A time in
 * milliseconds since 1970: it is waiting for that time. `undefined`: it needs a person.
 */
export function dueOf(state: RunState): number | 'now' | undefined {
  if (restingStatus(state) === 'interrupted' && state.ended === undefined) return 'now';
  return nextTimer(state)?.at;
}

/**
 * Whether a session cannot continue on its own. If a process has such a session open, that process is waiting
 * for its user.
 */
export function isAtRest(state: RunState): boolean {
  return dueOf(state) !== 'now';
}

/**
 * Whether a session runs a workflow, whose end is recorded in the journal. A rewound or forked workflow can
 * continue.
 */
function isFlow({ graph, agent }: RunState): boolean {
  return graph !== undefined || agent?.flow !== undefined;
}

/** Whether the conversation is empty or its last message is from the model. */
function isAnswered(last: Entry | undefined): boolean {
  return last === undefined || last.message.role === 'model' || last.message.role === 'system';
}

/**
 * Creates the list entry for a session. `isInUse` specifies whether a live process holds the session's lock.
 */
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

/**
 * Returns `running` for a session in use, unless it is waiting for a person, because lists must show which
 * sessions are waiting.
 */
export function statusOf(resting: RestingStatus, isInUse: boolean): RestingStatus | 'running' {
  return isInUse && resting !== 'waiting' ? 'running' : resting;
}

/** The properties that determine a session's position in a list. */
type Place = Pick<SessionSummary, 'id' | 'updatedAt'>;

/** Orders summaries by the time of the last change, then by id, newest first. */
export function newestFirst(left: Place, right: Place): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt < right.updatedAt ? 1 : -1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? 1 : -1;
}
