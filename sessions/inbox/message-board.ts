import type {
  InboxControl,
  InboxItem,
  InboxMessage,
  InboxState,
  MessagePriority,
} from '../../src/core/index.js';
import { digestOf, isGone } from '../../src/core/index.js';
import type { InboxRecord } from './inbox-record.js';
import { contentOf } from './message-record.js';

// Invariants:
// B1 What waits is what was sent, less what the journal says is gone, less what was removed.
// B2 Order is by priority, then by number; looking changes nothing.
// B3 Adding, counting and taking one message out cost the same however many wait.

const COUNTED_AS = { pause: 'pauses', resume: 'resumes', cancel: 'cancels' } as const;
const LEVELS: readonly MessagePriority[] = ['urgent', 'normal', 'low'];

/** Total counts of everything that was ever sent to a session. */
export interface SentCounts {
  readonly queued: number;
  readonly removed: number;
  readonly rejected: number;
  readonly pauses: number;
  readonly resumes: number;
  readonly cancels: number;
  readonly maxDepth: number;
  /** ISO 8601; empty if nothing has been sent. */
  readonly createdAt: string;
  readonly lastAt: string;
}

const NOTHING_SENT: SentCounts = {
  queued: 0,
  removed: 0,
  rejected: 0,
  pauses: 0,
  resumes: 0,
  cancels: 0,
  maxDepth: 0,
  createdAt: '',
  lastAt: '',
};

/** An item that was sent with an id. */
export interface KnownItem {
  readonly seq: number;
  readonly digest: string;
}

/** The state of an inbox after all of its records: queued messages, and ids already used. */
export class MessageBoard {
  readonly #levels: Readonly<Record<MessagePriority, Map<number, InboxMessage>>> = {
    urgent: new Map(),
    normal: new Map(),
    low: new Map(),
  };
  readonly #controls = new Map<number, InboxControl>();
  readonly #removed = new Map<number, string>();
  /** Queued messages that may expire. */
  readonly #mayExpire = new Set<number>();
  /** Numbers of items added since the last comparison with the journal. */
  #added: number[] = [];
  #gone: InboxState['gone'] | undefined;
  readonly #known = new Map<string, KnownItem>();
  #counts = NOTHING_SENT;
  #lastSeq = 0;

  get counts(): SentCounts {
    return this.#counts;
  }

  /** The highest number used so far. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  add(records: readonly InboxRecord[]): void {
    for (const record of records) this.#addOne(record);
  }

  /** Clears the queue and the used ids. Numbering continues. */
  clear(): void {
    for (const level of LEVELS) this.#levels[level].clear();
    for (const place of [this.#controls, this.#removed, this.#mayExpire, this.#known]) place.clear();
    this.#added = [];
    this.#counts = NOTHING_SENT;
  }

  #addOne(record: InboxRecord): void {
    if (record.type === 'answer' || record.type === 'refusal') return;
    const { at } = record;
    const counts = { ...this.#counts, createdAt: this.#counts.createdAt || at, lastAt: at };
    switch (record.type) {
      case 'message':
        this.#counts = this.#sent(counts, record.item, record.depth);
        break;
      case 'removal':
        this.#counts = { ...counts, removed: counts.removed + this.#remove(record.seqs) };
        break;
      case 'rejection':
        this.#counts = { ...counts, rejected: counts.rejected + 1 };
    }
  }

  #sent(counts: SentCounts, item: InboxItem, depth: number): SentCounts {
    this.#known.set(item.id, { seq: item.seq, digest: digestOf(contentOf(item)) });
    this.#lastSeq = Math.max(this.#lastSeq, item.seq);
    this.#added.push(item.seq);
    if (item.type === 'message') {
      this.#levels[item.priority].set(item.seq, item);
      if (item.expiresAt !== undefined) this.#mayExpire.add(item.seq);
      return { ...counts, queued: counts.queued + 1, maxDepth: Math.max(counts.maxDepth, depth) };
    }
    this.#controls.set(item.seq, item);
    const counted = COUNTED_AS[item.verb];
    return { ...counts, [counted]: counts[counted] + 1 };
  }

  #remove(seqs: readonly number[]): number {
    let count = 0;
    for (const level of LEVELS) {
      for (const seq of seqs) {
        const message = this.#levels[level].get(seq);
        if (message === undefined) continue;
        this.#levels[level].delete(seq);
        this.#mayExpire.delete(seq);
        this.#removed.set(seq, message.id);
        count += 1;
      }
    }
    return count;
  }

  /** Removes the items that the journal records as delivered or dropped (B1). */
  forget(inbox: InboxState | undefined): void {
    const places = [
      ...LEVELS.map((level) => this.#levels[level]),
      this.#controls,
      this.#removed,
      this.#mayExpire,
    ];
    const isSame = inbox?.gone === this.#gone; // then only what is new can be gone
    for (const place of places) {
      for (const seq of isSame ? this.#added : place.keys()) if (isGone(inbox, seq)) place.delete(seq);
    }
    this.#added = [];
    this.#gone = inbox?.gone;
  }

  known(id: string): KnownItem | undefined {
    return this.#known.get(id);
  }

  /**
   * Yields the queued messages in delivery order (B2), except expired ones. `now` is in milliseconds since
   * 1970.
   */
  *waiting(now: number): Iterable<InboxMessage> {
    for (const level of LEVELS) {
      for (const message of this.#levels[level].values()) if (!isExpired(message, now)) yield message;
    }
  }

  depth(now: number): number {
    const all = LEVELS.reduce((sum, level) => sum + this.#levels[level].size, 0);
    return all - this.expired(now).length;
  }

  expired(now: number): readonly InboxMessage[] {
    if (this.#mayExpire.size === 0) return [];
    return LEVELS.flatMap((level) => [...this.#levels[level].values()].filter((one) => isExpired(one, now)));
  }

  /** Returns the removed messages whose removal is not yet recorded in the journal. */
  removed(): readonly { readonly seq: number; readonly id: string }[] {
    return [...this.#removed].map(([seq, id]) => ({ seq, id }));
  }

  /** Returns the control messages in the order in which they were sent. */
  controls(): readonly InboxControl[] {
    return [...this.#controls.values()];
  }
}

function isExpired({ expiresAt }: InboxMessage, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

/** Returns the level of a priority, from 0 to 2. */
export function levelOf(priority: MessagePriority): number {
  return LEVELS.length - 1 - LEVELS.indexOf(priority);
}
