import type { WaitingItem, DeliveryNote } from '../ports/index.js';
import { isoTime } from '../text/index.js';
import { messageName, noteKey } from './naming.js';

/** The time after which what somebody is sending is sent by others, in milliseconds. */
const SENDING_MS = 60_000;
/** A message that was tried so often is left to a person. */
const MOST_TRIES = 10;

const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
const GROWTH = 4;
/** A pause is so much shorter or longer, by chance: what failed together does not come again together. */
const JITTER = 0.25;

/** The outcome of sending a message once. */
export type SendOutcome =
  | { readonly type: 'sent'; readonly reference?: string }
  | {
      readonly type: 'failed';
      readonly why: string;
      /** It would fail again: nothing but a person changes that. */
      readonly forGood?: boolean;
      /** The receiver wants to be left alone for so many milliseconds. */
      readonly pauseMs?: number;
    };

/** The note that takes a message about an open question: whoever keeps it sends. */
export function takenToRaise(
  { session, interrupt: { id: interrupt, digest } }: WaitingItem,
  channel: string,
  { was, now }: { readonly was: DeliveryNote | undefined; readonly now: number },
): DeliveryNote {
  const question = { session, interrupt, digest };
  return {
    ...question,
    key: noteKey(question, channel),
    message: messageName(question, 'interrupt.raised'),
    event: 'interrupt.raised',
    channel,
    revision: (was?.revision ?? 0) + 1,
    state: 'sending',
    at: isoTime(now + SENDING_MS),
    attempts: (was?.attempts ?? 0) + 1,
  };
}

/** The note that takes the message that a question was answered. */
export function takenToResolve(was: DeliveryNote, now: number): DeliveryNote {
  const isFirst = was.event === 'interrupt.raised';
  const { why: _why, ...rest } = was;
  return {
    ...rest,
    message: messageName(was, 'interrupt.resolved'),
    event: 'interrupt.resolved',
    revision: was.revision + 1,
    state: 'sending',
    at: isoTime(now + SENDING_MS),
    attempts: isFirst ? 1 : was.attempts + 1,
  };
}

/** The note after a message was sent, or could not be. `chance` is from 0 up to 1. */
export function noteAfter(
  taken: DeliveryNote,
  outcome: SendOutcome,
  { now, chance }: { readonly now: number; readonly chance: number },
): DeliveryNote {
  const note = { ...taken, revision: taken.revision + 1 };
  if (outcome.type === 'sent')
    return {
      ...note,
      state: 'sent',
      at: isoTime(now),
      ...(outcome.reference !== undefined && { reference: outcome.reference }),
    };
  const { why, forGood = false, pauseMs = 0 } = outcome;
  if (forGood || taken.attempts >= MOST_TRIES) return { ...note, state: 'left', at: isoTime(now), why };
  const pause = Math.max(retryMs(taken.attempts, chance), Math.min(pauseMs, LONGEST_MS));
  return { ...note, state: 'waiting', at: isoTime(now + pause), why };
}

/** The note of a message that a person wants to be sent again. */
export function noteAgain(left: DeliveryNote, now: number): DeliveryNote {
  return { ...left, revision: left.revision + 1, state: 'waiting', at: isoTime(now), attempts: 0 };
}

/** The pause after so many tries, in milliseconds. */
function retryMs(attempts: number, chance: number): number {
  const pause = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** Math.max(0, attempts - 1));
  return Math.round(pause * (1 - JITTER + 2 * JITTER * chance));
}
