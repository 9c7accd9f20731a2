// Invariants:
// O1 A message is sent by whoever keeps its note first; a kill between sending and noting sends it again, by its name.
// O2 Just before it is sent the question is looked at once more: what was answered meanwhile is not asked.
// O3 A receiver that is away holds up no other, no failure ends sending, and no session that cannot be read the rest.
import type {
  Clock,
  Deliveries,
  DeliveryNote,
  DeliveryStep,
  SendOutcome,
  SessionStore,
} from '../core/index.js';
import {
  HitlError,
  isHitlError,
  isQuestion,
  messageOf,
  noteAfter,
  openQuestions,
  planDeliveries,
  takenToRaise,
  takenToResolve,
} from '../core/index.js';
import type { Channel, Message } from './channel.js';
import { keepTidy } from './tidy.js';

/** Dependencies for sending messages. */
export interface DeliverWorld {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /**
   * Base URL of the pages, for example `https://hitl.example.org`. If absent, messages do not contain links.
   */
  readonly pages?: string;
  /** Called after each attempt, with the message's delivery note. */
  readonly told?: (note: DeliveryNote) => void;
}

/** Options for sending messages. */
export interface DeliverOptions extends DeliverWorld {
  readonly channels: readonly Channel[];
  /** Stops delivery once the messages in progress have been sent. */
  readonly signal: AbortSignal;
  /** Called if the store fails. The operation is retried. */
  readonly failed?: (error: unknown) => void;
}

/** Longest and shortest interval between two checks, in milliseconds. */
const LOOK_MS = 60_000;
const GAP_MS = 500;
/** Pause after a store or receiver failure, in milliseconds. */
const AWAY_MS = 10_000;
/**
 * After this many consecutive failures, the receiver is considered unavailable and the remaining messages
 * wait.
 */
const MOST_FAILURES = 3;

/**
 * Notifies receivers of every open question, until the signal aborts.
 * @throws HitlError BAD_CONFIG if the store does not support delivery notes.
 */
export async function deliver(options: DeliverOptions): Promise<void> {
  const { store, channels, clock, signal, failed } = options;
  bookOf(store);
  let hint = new AbortController(); // what happens next in the store aborts it
  const tell = (): void => {
    hint.abort();
    hint = new AbortController();
  };
  signal.addEventListener('abort', tell, { once: true });
  const watching = watch(options, tell);
  const names = channels.map(({ name }) => name);
  const tidying = keepTidy({ store, clock, names }, signal, failed);
  const loops = channels.map(async (channel) => {
    while (!signal.aborted) {
      const { signal: happened } = hint;
      let next = clock.now() + LOOK_MS;
      try {
        next = Math.min(next, (await deliverOnce(options, channel, signal)) ?? next);
      } catch (thrown) {
        failed?.(thrown); // O3
        next = clock.now() + AWAY_MS;
      }
      await clock.sleep(GAP_MS, signal).catch(() => undefined);
      await clock.sleep(Math.max(0, next - clock.now()), happened).catch(() => undefined);
    }
  });
  await Promise.all([...loops, watching, tidying]);
}

/** Watches the store and calls `tell` on every change. */
async function watch({ store, clock, signal, failed }: DeliverOptions, tell: () => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _change of store.watch(signal)) tell();
    } catch (thrown) {
      failed?.(thrown);
    }
    await clock.sleep(AWAY_MS, signal).catch(() => undefined);
  }
}

/**
 * Sends all messages that are due to one receiver.
 * @returns the time of the next check, if known
 */
export async function deliverOnce(
  world: DeliverWorld,
  channel: Channel,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const { store, clock } = world;
  const book = bookOf(store);
  const sending = { ...world, channel, book };
  const moments: number[] = [];
  let failures = 0;
  for await (const { notes, waiting } of book.due(channel, clock.now())) {
    const asked = waiting.filter(({ interrupt }) => isQuestion(interrupt));
    const { steps, next } = planDeliveries({ channel, notes, waiting: asked, now: clock.now() });
    if (next !== undefined) moments.push(next);
    for (const step of steps) {
      if (signal?.aborted === true) return soonest(moments);
      const { note, isTheirs = false } = await taken(step, sending);
      if (note?.state === 'waiting') moments.push(Date.parse(note.at));
      if (isTheirs) failures = note?.state === 'waiting' ? failures + 1 : 0;
      if (failures < MOST_FAILURES) continue;
      return soonest([...moments, clock.now() + AWAY_MS]); // O3
    }
  }
  return soonest(moments);
}

function soonest(moments: readonly number[]): number | undefined {
  return moments.length === 0 ? undefined : Math.min(...moments);
}

interface Sending extends DeliverWorld {
  readonly channel: Channel;
  readonly book: Deliveries;
}

/** The result of a delivery step: the note, and whether the receiver was contacted. */
interface Taken {
  readonly note?: DeliveryNote;
  readonly isTheirs?: boolean;
}

/** Performs a delivery step, unless another process claimed it first. */
async function taken(step: DeliveryStep, world: Sending): Promise<Taken> {
  const { book, channel, clock, random, told } = world;
  if (step.type === 'forget') {
    await book.drop(step.was);
    return {};
  }
  const now = clock.now();
  const note =
    step.type === 'raise'
      ? takenToRaise(step.item, channel.name, { was: step.was, now })
      : takenToResolve(step.was, now);
  if (!(await book.put(note))) return {}; // O1
  const read = await messageFor(note, world);
  if (read.type === 'gone') {
    await book.drop(note); // O2
    return {};
  }
  const isTheirs = read.type === 'message';
  const outcome = isTheirs
    ? await channel
        .send(read.message)
        .catch((thrown: unknown) => ({ type: 'failed', why: messageOf(thrown) }) as const)
    : read; // O3
  const after = noteAfter(note, outcome, { now: clock.now(), chance: random() });
  told?.(after);
  const isOver = after.event === 'interrupt.resolved' && after.state !== 'waiting';
  if (isOver) await book.drop(note);
  else await book.put(after);
  return { note: after, isTheirs };
}

/**
 * A message, or the reason that it cannot be sent: the question is no longer current, or the session cannot
 * be read.
 */
type ReadMessage =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'gone' }
  | (SendOutcome & { readonly type: 'failed' });

/** Codes of errors that affect one session, not the whole store. */
const OF_ONE: ReadonlySet<string> = new Set([
  'SESSION_DAMAGED',
  'SESSION_NEWER',
  'SESSION_UNSAFE',
  'SESSION_UNREADABLE',
]);

/**
 * Returns the message for a delivery note, based on the current state of the session.
 * @throws HitlError if the store fails
 */
async function messageFor(
  { session, interrupt: id, digest, event, message, reference }: DeliveryNote,
  { store, clock, pages }: Sending,
): Promise<ReadMessage> {
  try {
    await using opened = await store.open(session, 'read');
    const { state } = opened;
    const title = state.title ?? '';
    const base = {
      id: message,
      event,
      at: clock.now(),
      state,
      ...(pages !== undefined && { page: pageOf(pages, session, id) }),
      ...(reference !== undefined && { reference }),
    };
    const question = openQuestions(state).find(({ interrupt }) => interrupt.id === id);
    if (event === 'interrupt.raised')
      return question?.interrupt.digest === digest
        ? { type: 'message', message: { ...base, item: { session, title, ...question } } }
        : { type: 'gone' };
    const resolved = state.resolved.findLast(
      ({ interrupt }) => interrupt.id === id && interrupt.digest === digest,
    );
    if (resolved === undefined) return { type: 'gone' };
    const item = { session, title, interrupt: resolved.interrupt };
    return { type: 'message', message: { ...base, item, resolved } };
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    if (thrown.code === 'SESSION_NOT_FOUND') return { type: 'gone' };
    if (OF_ONE.has(thrown.code)) return { type: 'failed', why: thrown.message };
    throw thrown;
  }
}

/** Returns the URL of a question's page. */
function pageOf(pages: string, session: string, id: string): string {
  return `${pages}/sessions/${session}/questions/${encodeURIComponent(id)}`;
}

function bookOf({ capabilities: { deliveries } }: SessionStore): Deliveries {
  if (deliveries !== undefined) return deliveries;
  throw new HitlError('BAD_CONFIG', 'this store cannot record notifications, so none are sent');
}
