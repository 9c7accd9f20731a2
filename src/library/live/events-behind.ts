import type { LiveEvent, RunState, Session, SessionId } from '../../core/index.js';
import { HitlError, openInterrupts } from '../../core/index.js';
import type { LiveRun } from './live-run.js';
import { latestText } from './result.js';

/**
 * Yields the events after a known event: first those in the journal, then new ones until the run stops.
 * @throws HitlError BAD_INPUT for an invalid event number, and any error with which the run fails.
 */
export async function* eventsBehind(
  session: Session,
  running: LiveRun | undefined,
  after: number,
): AsyncGenerator<LiveEvent, void, undefined> {
  if (!Number.isSafeInteger(after) || after < 0)
    throw new HitlError('BAD_INPUT', `\`after\` must be an event number, got ${String(after)}`);
  let last = Math.min(after, session.version);
  for await (const { seq, at, event } of session.events()) {
    if (seq <= last) continue;
    last = seq;
    yield { session: session.id, seq, at, ...event };
  }
  if (running === undefined) yield standing(session.id, session.state);
  else yield* liveBehind(running, last);
}

/**
 * Yields a run's events, except those that are already known. Transient events belong to the last durable
 * event before them.
 */
async function* liveBehind(running: LiveRun, last: number): AsyncGenerator<LiveEvent, void, undefined> {
  let held: LiveEvent[] | undefined = [];
  for await (const event of running) {
    if (held === undefined) {
      yield event;
      continue;
    }
    const seq = 'seq' in event ? event.seq : undefined;
    if (seq !== undefined && seq <= last) held = seq === last ? undefined : [];
    else if (seq === undefined && event.type !== 'rested') held.push(event);
    else {
      yield* held;
      yield event;
      held = undefined;
    }
  }
}

/** Creates the final event for a session that is not running. */
function standing(session: SessionId, state: RunState): LiveEvent {
  const open = openInterrupts(state);
  const text = latestText(state);
  const { ended } = state;
  if (open.length > 0) return { session, type: 'rested', result: { type: 'waiting', text, open } };
  if (ended?.type === 'finished' || ended?.type === 'limit')
    return { session, type: 'rested', result: { ...ended, text } };
  return { session, type: 'rested', result: { type: 'done', text } };
}
