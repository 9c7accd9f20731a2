import type {
  ControlDraft,
  InboxItem,
  InboxOrigins,
  MessageDraft,
  MessageMetrics,
  MessagePage,
  PageRequest,
  RunState,
  SendOptions,
  SentMessage,
  SessionMail,
} from '../../src/core/index.js';
import { digestOf, HitlError, isoTime, messageActions, present, toWellFormed } from '../../src/core/index.js';
import type { InboxPlace, SessionNow } from './inbox-place.js';
import { InboxReader, sessionReader, wantedIn } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';
import { levelOf, MessageBoard } from './message-board.js';
import { checkDraft, checkMessageId, checkText } from './message-draft.js';
import { pageOf } from './message-page.js';
import { contentOf } from './message-record.js';
import { targetProblem } from './message-target.js';

// Invariants:
// M1 What is sent is durable before `send` resolves, and is there once for each id (G18).
// M2 No more than `maxQueue` messages wait; verbs are not counted and never refused for room.
// M3 Only whoever has the lock of the inbox adds, removes or delivers, so that none of them crosses another.
// M4 Looking takes no lock and changes nothing.

const DEFAULT_MAX = 100;

type Unsent = InboxItem extends infer Item
  ? Item extends InboxItem
    ? Omit<Item, 'seq' | 'at'>
    : never
  : never;

/** The messages of a session, for senders and readers in any process. */
export class MessageQueue implements SessionMail {
  readonly #place: InboxPlace;
  readonly #board = new MessageBoard();
  readonly #reader: InboxReader;
  readonly #session: () => Promise<SessionNow>;
  /** The version of the session's history that was last read. */
  #past = '';

  constructor(place: InboxPlace) {
    this.#place = place;
    this.#session = sessionReader(place);
    this.#reader = new InboxReader(place, this.#board);
  }

  /**
   * Sends a message. The message is durable when the promise resolves (M1).
   * @throws HitlError BAD_INPUT, QUEUE_FULL, SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if the inbox
   * stays locked
   */
  async send(draft: MessageDraft, options: SendOptions, signal: AbortSignal): Promise<SentMessage> {
    const {
      text,
      from,
      action,
      event,
      priority = 'normal',
      target,
      expiresAt,
    } = checkDraft(draft, options.allowedActions ?? messageActions());
    const problem =
      target === undefined
        ? undefined
        : targetProblem(target, (await this.#place.session()).state.graph?.nodes);
    if (problem !== undefined)
      throw new HitlError('BAD_INPUT', problem, {
        hint: 'leave the target out, or use one of these nodes',
        detail: { problem: 'target' },
      });
    const item: Unsent = {
      type: 'message',
      id: this.#idOf(draft.id),
      text,
      from,
      priority,
      ...present({ action, event, target, expiresAt }),
    };
    const { overflow = 'reject' } = options;
    const waitMs = typeof overflow === 'object' ? overflow.waitMs : 0;
    const until = this.#place.now() + waitMs;
    for (;;) {
      const isLast = this.#place.now() >= until;
      const sent = await this.#locked(signal, () => this.#offer(item, options, isLast));
      if (sent !== undefined) return sent;
      await this.#room(options, until, signal);
    }
  }

  /**
   * Sends a control message. The run handles it at its next safe point, before all other messages (M2).
   * Throws the same errors as `send`.
   */
  async control({ verb, from, id, reason }: ControlDraft, signal: AbortSignal): Promise<SentMessage> {
    const why = reason === undefined ? {} : { reason: toWellFormed(checkText(reason)) };
    return this.#locked(signal, async () => {
      const before = this.#board.controls().at(-1);
      // The same again, before anybody took it, says nothing new.
      if (id === undefined && before?.verb === verb) return this.#sentBefore(before.id, before.seq);
      return this.#add({ type: 'control', id: this.#idOf(id), verb, from, ...why });
    });
  }

  /**
   * Returns a page of queued messages in delivery order (M4). @throws HitlError SESSION_NOT_FOUND, BAD_INPUT
   */
  async list(request: PageRequest = {}): Promise<MessagePage> {
    await this.#look();
    return pageOf(this.#board.waiting(this.#place.now()), request);
  }

  /** @throws HitlError SESSION_NOT_FOUND */
  async metrics(): Promise<MessageMetrics> {
    const state = await this.#look();
    return metricsOf(this.#board, state, this.#place.now());
  }

  /**
   * Permanently removes undelivered messages, either those with these ids or all of them.
   * @returns the removed ids.
   * @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_LOCKED if the inbox stays locked
   */
  async withdraw(ids: readonly string[] | 'all', signal: AbortSignal): Promise<readonly string[]> {
    return this.#locked(signal, async () => {
      const found = [...this.#board.waiting(this.#place.now())].filter(
        ({ id }) => ids === 'all' || ids.includes(id),
      );
      if (found.length > 0) await this.#remove(found, 'withdrawn');
      return found.map(({ id }) => id);
    });
  }

  async origins(): Promise<InboxOrigins> {
    const { records } = await this.#place.read(0);
    const foreign = records.filter(({ isForeign }) => isForeign).map(({ record }) => record);
    const waiting = foreign.filter(wantedIn((await this.#session()).state)).length;
    return { ours: records.length - foreign.length, foreign: foreign.length, waiting };
  }

  async #offer(item: Unsent, options: SendOptions, isLast: boolean): Promise<SentMessage | undefined> {
    const { maxQueue = DEFAULT_MAX, overflow } = options;
    const now = this.#place.now();
    const depth = this.#board.depth(now);
    if (this.#board.known(item.id) !== undefined || depth < maxQueue) return this.#add(item);
    if (overflow === 'drop-lowest' && item.type === 'message') {
      const lowest = [...this.#board.waiting(now)].reduce((low, one) =>
        levelOf(one.priority) <= levelOf(low.priority) ? one : low,
      );
      if (levelOf(lowest.priority) < levelOf(item.priority)) {
        await this.#remove([lowest], 'evicted');
        return { ...(await this.#add(item)), evicted: lowest.id };
      }
    }
    if (!isLast) return undefined;
    await this.#append({ v: 1, type: 'rejection', receipt: item.id, at: isoTime(now) });
    throw new HitlError(
      'QUEUE_FULL',
      `session ${this.#place.id}'s queue is full: ${depth} messages are waiting`,
      {
        hint: `send it later, or check the queue: hitl queue ${this.#place.id}`,
        detail: { depth, capacity: maxQueue },
      },
    );
  }

  async #add(unsent: Unsent): Promise<SentMessage> {
    const known = this.#board.known(unsent.id);
    if (known !== undefined) {
      if (known.digest === digestOf(contentOf(unsent))) return this.#sentBefore(unsent.id, known.seq);
      throw new HitlError(
        'BAD_INPUT',
        `message id \`${unsent.id}\` was already used for a different message`,
        {
          hint: 'leave the id out, or choose a different one',
          detail: { problem: 'id-used' },
        },
      );
    }
    const now = this.#place.now();
    const at = isoTime(now);
    // Numbers go on where the journal knows of more than the file does.
    const gone = (await this.#look()).inbox?.gone.at(-1)?.[1] ?? 0;
    const seq = Math.max(this.#board.lastSeq, gone) + 1;
    const depth = this.#board.depth(now) + (unsent.type === 'message' ? 1 : 0);
    await this.#append({
      v: 1,
      type: 'message',
      receipt: unsent.id,
      at,
      item: unsent.type === 'message' ? { ...unsent, seq, at } : { ...unsent, seq, at },
      depth,
    });
    return { id: unsent.id, seq, depth, isNew: true };
  }

  #sentBefore(id: string, seq: number): SentMessage {
    return { id, seq, depth: this.#board.depth(this.#place.now()), isNew: false };
  }

  async #remove(
    messages: readonly { readonly seq: number; readonly id: string }[],
    why: 'evicted' | 'withdrawn',
  ): Promise<void> {
    const seqs = messages.map(({ seq }) => seq);
    const at = isoTime(this.#place.now());
    await this.#append({ v: 1, type: 'removal', receipt: this.#idOf(undefined), at, seqs, why });
  }

  async #append(record: InboxRecord): Promise<void> {
    await this.#place.append(record, this.#past);
    try {
      await this.#look();
    } catch {
      // it is saved, and read at the next look
    }
  }

  #idOf(id: string | undefined): string {
    return id === undefined ? Buffer.from(this.#place.random(8)).toString('hex') : checkMessageId(id);
  }

  /**
   * Waits until the queue has room or the time `until` is reached. Rejects with the signal's reason if the
   * signal aborts.
   */
  async #room({ maxQueue = DEFAULT_MAX }: SendOptions, until: number, signal: AbortSignal): Promise<void> {
    const look = async (): Promise<true | undefined> => {
      await this.#look();
      const now = this.#place.now();
      return now >= until || this.#board.depth(now) < maxQueue ? true : undefined;
    };
    await this.#place.until(look, signal);
  }

  async #locked<T>(signal: AbortSignal, change: () => Promise<T>): Promise<T> {
    await this.#look(); // a session that is not there is told as such
    const lock = await this.#place.lock(signal);
    try {
      await this.#look();
      return await change();
    } finally {
      lock.release();
    }
  }

  /** Reads new records from the inbox and the journal. */
  async #look(): Promise<RunState> {
    // The inbox first: what the journal says is gone was in it before.
    await this.#reader.look(this.#past);
    const { state, past } = await this.#session();
    if (past !== this.#past) await this.#reader.look(past);
    this.#past = past;
    this.#board.forget(state.inbox);
    return state;
  }
}

/** Returns a copy of the metrics. `now` is in milliseconds since 1970. */
function metricsOf(board: MessageBoard, state: RunState, now: number): MessageMetrics {
  const { queued, removed, rejected, pauses, resumes, cancels, maxDepth, createdAt, lastAt } = board.counts;
  const { inbox } = state;
  const last = [lastAt, inbox?.lastAt ?? ''].sort().at(-1) ?? '';
  return {
    queued,
    delivered: inbox?.delivered ?? 0,
    dropped: removed,
    expired: (inbox?.expired ?? 0) + board.expired(now).length,
    rejected,
    refused: inbox?.refused ?? 0,
    pauses,
    resumes,
    cancels,
    depth: board.depth(now),
    maxDepth,
    waitMs: waits(state),
    ...(createdAt !== '' && { createdAt }),
    ...(last !== '' && { lastActivityAt: last }),
  };
}

function waits({ resolved }: RunState): { readonly total: number; readonly last: number } {
  let total = 0;
  let last = 0;
  for (const { interrupt, resolvedAt } of resolved) {
    if (resolvedAt === undefined) continue;
    const waited = Date.parse(resolvedAt) - Date.parse(interrupt.raisedAt);
    last = Number.isNaN(waited) ? 0 : Math.max(waited, 0); // clocks are labels (G25)
    total += last;
  }
  return { total, last };
}
