import type { Answer, PostedAnswers, Resolution, ResolvedInterrupt } from '../../src/core/index.js';
import { isJsonObject, isoTime, jsonEquals, openInterrupts } from '../../src/core/index.js';
import type { InboxPlace, SessionNow } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';
import { appendToInbox, InboxReader } from './inbox-place.js';

// Invariants:
// I1 Which answers were used is in the journal and nowhere else: after a crash the inbox is read from its start.
// I2 Only answers to open interrupts are handed out; each at most once in the life of this object.

/**
 * Whether an answer resolved an interrupt or is one of the deciding votes. Compares receipts, or contents if
 * an older version did not record the receipt. Ignores the binding that the receiving process adds to an
 * edit.
 */
export function isUsed(
  answer: Answer | undefined,
  receipt: string,
  { resolution, by, votes = [], receipt: used }: ResolvedInterrupt,
): boolean {
  if (used !== undefined) return used === receipt;
  if (votes.some((vote) => vote.receipt === receipt)) return true;
  if (answer === undefined) return false;
  return isSameWord(answer, { by, resolution });
}

/** Whether two answers are the same decision by the same person. */
export function isSameWord(answer: Answer, { by, resolution }: Pick<Answer, 'by' | 'resolution'>): boolean {
  return isSame(unbound(answer.resolution), unbound(resolution)) && isSame(answer.by, by);
}

function unbound(resolution: Resolution): unknown {
  if (resolution.action !== 'restart') return resolution;
  const { shown: _shown, ...said } = resolution;
  return said;
}

/** Whether two objects have the same content. */
export function isSame(left: unknown, right: unknown): boolean {
  return isJsonObject(left) && isJsonObject(right) && jsonEquals(left, right);
}

interface Left {
  readonly receipt: string;
  readonly at: string;
  readonly answer: Answer;
}

/** Answers that other processes have queued for the process that writes a session. */
export class AnswerInbox implements PostedAnswers {
  readonly #place: InboxPlace;
  readonly #session: () => SessionNow;
  readonly #reader: InboxReader;
  #pending: readonly Left[] = [];
  readonly #handedOut = new WeakMap<Answer, Left>();

  /** @param session returns the current session. */
  constructor(place: InboxPlace, session: () => SessionNow) {
    this.#place = place;
    this.#session = session;
    this.#reader = new InboxReader(place, {
      add: (records) => {
        this.#add(records);
      },
      clear: () => {
        this.#pending = [];
      },
    });
  }

  /** Returns a queued answer to an open interrupt, if there is one. @throws HitlError SESSION_UNREADABLE */
  async take(): Promise<Answer | undefined> {
    return this.#look();
  }

  /** Waits for the next answer to an open interrupt. Rejects with the signal's reason when it aborts. */
  async next(signal: AbortSignal): Promise<Answer> {
    return this.#place.until(() => this.#look(), signal);
  }

  /**
   * Tells the sender of an answer why the answer was not used. The answer is not returned again.
   * @throws HitlError SAVE_FAILED
   */
  async refuse(answer: Answer, why: string): Promise<void> {
    const receipt = this.receiptOf(answer);
    if (receipt === undefined) return;
    const at = isoTime(this.#place.now());
    const unending = new AbortController().signal; // the wait for the lock has an end of its own
    const refusal = { v: 1, type: 'refusal', receipt, at, why } as const;
    await appendToInbox(this.#place, refusal, this.#session().past, unending);
  }

  receiptOf(answer: Answer): string | undefined {
    return this.#handedOut.get(answer)?.receipt;
  }

  leftAt(answer: Answer): string | undefined {
    return this.#handedOut.get(answer)?.at;
  }

  async #look(): Promise<Answer | undefined> {
    await this.#reader.look(this.#session().past);
    const { state } = this.#session();
    const open = new Set(openInterrupts(state).map(({ id }) => id));
    // I1: a vote leaves its question open. A name is of one answer to one question.
    const isCast = ({ receipt, answer }: Left): boolean =>
      state.votes?.some((vote) => vote.id === answer.id && vote.receipt === receipt) === true;
    const found = this.#pending.find((left) => open.has(left.answer.id) && !isCast(left));
    if (found === undefined) return undefined;
    this.#pending = this.#pending.filter((posted) => posted !== found); // I2
    this.#handedOut.set(found.answer, found);
    return found.answer;
  }

  #add(records: readonly InboxRecord[]): void {
    const pending = [...this.#pending];
    const refused = new Set<string>();
    for (const record of records) {
      if (record.type === 'answer') pending.push(record);
      else if (record.type === 'refusal') refused.add(record.receipt);
    }
    this.#pending = pending.filter(({ receipt }) => !refused.has(receipt));
  }
}
