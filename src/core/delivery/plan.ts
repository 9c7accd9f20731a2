import { assertNever } from '../assert.js';
import type { DeliveryNote, DeliveryPart, DeliveryTarget, WaitingItem } from '../ports/index.js';
import { timeOf } from '../text/index.js';
import { noteKey } from './naming.js';

// Invariants:
// Q1 A message is due for every open question about which nothing is noted: the journal is the outbox, and a note that
//    is lost sends again.
// Q2 What is not open any more is not asked: what waits to be sent about it is forgotten, or becomes the word that it
//    was answered.
// Q3 What somebody else is sending is left to them until their time is over.

/** A receiver, as far as deciding needs it. */
export interface DeliveryTerms extends DeliveryTarget {
  /** It is told, too, when a question was answered. */
  readonly tellsResolved: boolean;
}

/** The things that are known when it is decided what to send. */
export interface DeliveryView extends DeliveryPart {
  readonly channel: DeliveryTerms;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** One thing to do for a receiver. */
export type DeliveryStep =
  | { readonly type: 'raise'; readonly item: WaitingItem; readonly was?: DeliveryNote }
  | { readonly type: 'resolve'; readonly was: DeliveryNote }
  | { readonly type: 'forget'; readonly was: DeliveryNote };

/** The steps that are due, and the moment of the next one by time. */
export interface DeliveryPlan {
  readonly steps: readonly DeliveryStep[];
  readonly next?: number;
}

/** Decides what is to be sent to one receiver now. */
export function planDeliveries({ channel, notes, waiting, now }: DeliveryView): DeliveryPlan {
  const ours = new Map(notes.filter((note) => note.channel === channel.name).map((note) => [note.key, note]));
  const open = waiting.map((item) => {
    const { id, digest } = item.interrupt;
    return { item, key: noteKey({ session: item.session, interrupt: id, digest }, channel.name) };
  });
  const known = new Set(open.map(({ key }) => key));
  const raised = open.flatMap(({ item, key }): readonly DeliveryStep[] => {
    const was = ours.get(key);
    if (was === undefined) return isMeant(item, channel) ? [{ type: 'raise', item }] : []; // Q1
    return isDue(was, now) && was.event === 'interrupt.raised' ? [{ type: 'raise', item, was }] : [];
  });
  const gone = [...ours.values()].filter(({ key }) => !known.has(key));
  const moments = [...ours.values()].flatMap((note) => {
    const at = timeOf(note.at);
    return isTimed(note) && at > now ? [at] : [];
  });
  const steps = [...raised, ...gone.flatMap((note) => afterwards(note, channel, now))];
  return { steps, ...(moments.length > 0 && { next: Math.min(...moments) }) };
}

/** True for a question that was asked since the moment from which on a receiver is told. */
function isMeant({ interrupt }: WaitingItem, { since = -Infinity }: DeliveryTerms): boolean {
  return since === -Infinity || timeOf(interrupt.raisedAt) >= since;
}

/** Ends a note whose question is not open any more (Q2). */
function afterwards(
  was: DeliveryNote,
  { tellsResolved }: DeliveryTerms,
  now: number,
): readonly DeliveryStep[] {
  const mayHaveArrived = was.state === 'sent' || (was.state !== 'left' && was.attempts > 0);
  const end: DeliveryStep =
    tellsResolved && mayHaveArrived ? { type: 'resolve', was } : { type: 'forget', was };
  switch (was.state) {
    case 'sending':
      return isDue(was, now) ? [end] : []; // Q3
    case 'waiting':
      return was.event === 'interrupt.raised' || isDue(was, now) ? [end] : [];
    case 'sent':
      return [was.event === 'interrupt.raised' ? end : { type: 'forget', was }];
    case 'left':
      return [{ type: 'forget', was }];
    default:
      return assertNever(was.state);
  }
}

function isTimed({ state }: DeliveryNote): boolean {
  return state === 'sending' || state === 'waiting';
}

function isDue(note: DeliveryNote, now: number): boolean {
  return isTimed(note) && timeOf(note.at) <= now;
}
