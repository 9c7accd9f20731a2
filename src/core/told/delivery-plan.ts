import { assertNever } from '../data/assert.js';
import type { DeliveryNote, DeliveryPart, DeliveryTarget, DeliveryEvent } from '../ports/deliveries.js';
import type { WaitingItem } from '../ports/session.js';
import { timeOf, isoTime } from '../data/duration.js';
import type { InterruptId, SessionId } from '../data/ids.js';
import { digestOf } from '../data/digest.js';
import { isSessionId } from '../data/ids.js';
import type { JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';

// Invariants:
// Q1 A message is due for every open question about which nothing is noted: the journal is the outbox, and a note that
//    is lost sends again.
// Q2 What is not open any more is not asked: what waits to be sent about it is forgotten, or becomes the word that it
//    was answered.
// Q3 What somebody else is sending is left to them until their time is over.

/** Properties of a receiver that affect the planning of notifications. */
export interface DeliveryTerms extends DeliveryTarget {
  /** Whether the receiver is also notified of answered questions. */
  readonly tellsResolved: boolean;
}

/** Input for planning the notifications to a receiver. */
export interface DeliveryView extends DeliveryPart {
  readonly channel: DeliveryTerms;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A step in notifying a receiver. */
export type DeliveryStep =
  | { readonly type: 'raise'; readonly item: WaitingItem; readonly was?: DeliveryNote }
  | { readonly type: 'resolve'; readonly was: DeliveryNote }
  | { readonly type: 'forget'; readonly was: DeliveryNote };

/** The steps that are due, and the time of the next one. */
export interface DeliveryPlan {
  readonly steps: readonly DeliveryStep[];
  readonly next?: number;
}

/** Identifies a question in messages. A different digest means a different question. */
export interface ToldQuestion {
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  readonly digest: string;
}

/** Length of the hash in a message name, in characters (120 bits). */
const NAME_LENGTH = 30;

/** Returns a message's name, which does not depend on the receiver, the sending process or the time. */
function messageName({ session, interrupt, digest }: ToldQuestion, event: DeliveryEvent): string {
  return `msg_${digestOf([session, interrupt, digest, event]).slice(0, NAME_LENGTH)}`;
}

/** Returns the key of a receiver's note about a question. */
export function noteKey({ session, interrupt, digest }: ToldQuestion, channel: string): string {
  return digestOf([session, interrupt, digest, channel]);
}

/** Plans the notifications to a receiver. */
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

/** Whether a question was asked after the time at which the receiver's notifications begin. */
function isMeant({ interrupt }: WaitingItem, { since = -Infinity }: DeliveryTerms): boolean {
  return since === -Infinity || timeOf(interrupt.raisedAt) >= since;
}

/** Returns the steps that finish a note about a question that is no longer open (Q2). */
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

/** Time after which another process may take over a delivery in progress, in milliseconds. */
const SENDING_MS = 60_000;
/** Number of failed attempts after which a person must intervene. */
const MOST_TRIES = 10;

const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;
const GROWTH = 4;
/**
 * Random variation of the retry delay, as a fraction. It keeps deliveries that failed together from being
 * retried together.
 */
const JITTER = 0.25;

/** Result of an attempt to send a message. */
export type SendOutcome =
  | { readonly type: 'sent'; readonly reference?: string }
  | {
      readonly type: 'failed';
      readonly why: string;
      /** Whether the failure is permanent and needs a person to intervene. */
      readonly forGood?: boolean;
      /** Delay requested by the receiver, in milliseconds. */
      readonly pauseMs?: number;
    };

/**
 * Returns the note that claims the message about an open question. The process that stores the note sends the
 * message.
 */
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

/** Returns the note that claims the message that reports an answer to a receiver. */
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

/**
 * Returns the note after a message was sent or could not be sent. `chance` is a random number between 0 and
 * 1, exclusive.
 */
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

/** Returns the note for a message that a person wants to send again. */
export function noteAgain(left: DeliveryNote, now: number): DeliveryNote {
  return { ...left, revision: left.revision + 1, state: 'waiting', at: isoTime(now), attempts: 0 };
}

/** Returns the delay before the next attempt, in milliseconds. */
function retryMs(attempts: number, chance: number): number {
  const pause = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** Math.max(0, attempts - 1));
  return Math.round(pause * (1 - JITTER + 2 * JITTER * chance));
}

const TEXTS = ['key', 'message', 'channel', 'interrupt', 'digest', 'at'] as const;
const STATES: readonly unknown[] = ['sending', 'waiting', 'sent', 'left'] satisfies DeliveryNote['state'][];
const EVENTS: readonly unknown[] = [
  'interrupt.raised',
  'interrupt.resolved',
] satisfies DeliveryNote['event'][];

/** Whether a value is a stored delivery note. */
export function isDeliveryNote(value: JsonValue | undefined): value is JsonValue & DeliveryNote {
  if (value === undefined || !isJsonObject(value)) return false;
  const { session, revision, attempts, state, event, at, reference, why } = value;
  return (
    TEXTS.every((key) => typeof value[key] === 'string') &&
    typeof session === 'string' &&
    isSessionId(session) &&
    Number.isSafeInteger(revision) &&
    Number.isSafeInteger(attempts) &&
    STATES.includes(state) &&
    EVENTS.includes(event) &&
    typeof at === 'string' &&
    !Number.isNaN(timeOf(at)) &&
    (reference === undefined || typeof reference === 'string') &&
    (why === undefined || typeof why === 'string')
  );
}
