import type { InboxMessage, Interrupt, RunInbox, Session } from '../core/index.js';
import { awaiting, openInterrupts, outsideEffects, ROOT_PATH } from '../core/index.js';
import type { RunOptions } from '../engine/index.js';
import type { Recorder } from './record.js';

interface Listening {
  readonly session: Session;
  readonly run: RunOptions;
  readonly recorder: Recorder;
  readonly inbox?: RunInbox;
}

/** Whether an open question is waiting for an external event. */
export function awaitsEvents(open: readonly Interrupt[]): boolean {
  return open.some(({ source }) => source.type === 'node' && source.event !== undefined);
}

/** Records one awaited external event; returns false if there is none. */
export async function tookEvent({ session, run: { clock }, recorder, inbox }: Listening): Promise<boolean> {
  if (inbox === undefined) return false;
  const open = openInterrupts(session.state);
  if (!awaitsEvents(open)) return false;
  const events = (message: InboxMessage): boolean => awaiting(open, message) !== undefined;
  if (!(await inbox.waiting()).some(events)) return false;
  const taken = await inbox.take({ phase: 'turn', path: ROOT_PATH }, new AbortController().signal, {
    wants: () => false,
    events,
    isLast: () => true,
  });
  try {
    const [message] = taken.messages;
    if (message === undefined) return false; // a verb is taken by the run itself
    await recorder.keep([...taken.events, ...outsideEffects(session.state, message, clock.now())]);
    return true;
  } finally {
    taken.release();
  }
}
