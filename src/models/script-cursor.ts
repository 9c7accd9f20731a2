import type { Message, Sequence } from '../core/index.js';
import { conditionHolds } from './script-condition.js';
import type { ScriptReply } from './script-reply.js';
import { isVisible } from './script-reply.js';

// Invariants:
// S1 Which reply answers is a function of the request's messages, so a crash or a new process does not shift a script.
// S2 The one exception: a reply that leaves no message (an error, an empty one) is played once by one cursor.
// S3 A request that continues the one before costs what was added; `#read` is only a memory of that.

interface Read {
  /** Number of messages examined. */
  readonly length: number;
  /**
   * The last message examined. If the same object is still at this index, the history up to it is unchanged.
   */
  readonly last: Message | undefined;
  /** Number of replies in these messages that were played by position. */
  readonly position: number;
}

const NOTHING_READ: Read = { length: 0, last: undefined, position: 0 };

/** Finds the scripted reply to a request and tracks which replies have been played. */
export class ScriptCursor {
  readonly #replies: readonly ScriptReply[];
  readonly #conditional: readonly number[];
  /**
   * Indexes of the unconditional replies that leave a message. A position in the script is an index into this
   * list.
   */
  readonly #visible: readonly number[];
  readonly #played = new Set<number>();
  #read: Read = NOTHING_READ;

  constructor(replies: readonly ScriptReply[]) {
    this.#replies = replies;
    const indexes = [...replies.keys()];
    this.#conditional = indexes.filter((index) => replies[index]?.when !== undefined);
    this.#visible = indexes.filter(
      (index) => replies[index]?.when === undefined && this.#leavesMessage(index),
    );
  }

  /**
   * Returns the index of the reply to these messages; `undefined` if the script does not have one (S1, S2).
   */
  take(messages: Sequence<Message>): number | undefined {
    const { position } = this.#readOn(messages);
    const isFresh = (index: number) => this.#leavesMessage(index) || !this.#played.has(index);
    const found = this.#matching(messages, messages.length, isFresh) ?? this.#at(position, isFresh);
    if (found !== undefined) this.#played.add(found);
    return found;
  }

  /** Returns the indexes of the replies that were not requested and did not occur in any history. */
  unplayed(): readonly number[] {
    return [...this.#replies.keys()].filter((index) => !this.#played.has(index));
  }

  #leavesMessage(index: number): boolean {
    const reply = this.#replies[index];
    return reply !== undefined && isVisible(reply);
  }

  /** Marks the replies in the history as played (S3). */
  #readOn(messages: Sequence<Message>): Read {
    const { length, last } = this.#read;
    const continues = length > 0 && messages.length >= length && messages.at(length - 1) === last;
    const start = continues ? this.#read : NOTHING_READ;
    let { position } = start;
    for (let index = start.length; index < messages.length; index += 1) {
      if (messages.at(index)?.role !== 'model') continue;
      const matching = this.#matching(messages, index, (candidate) => this.#leavesMessage(candidate));
      const played = matching ?? this.#visible[position];
      if (matching === undefined) position += 1;
      if (played !== undefined) this.#played.add(played);
    }
    this.#read = { length: messages.length, last: messages.at(-1), position };
    return this.#read;
  }

  #matching(messages: Sequence<Message>, end: number, fits: (index: number) => boolean): number | undefined {
    return this.#conditional.find((index) => {
      const when = this.#replies[index]?.when;
      return when !== undefined && fits(index) && conditionHolds(when, messages, end);
    });
  }

  /**
   * Returns the index of the first unconditional reply at this position. Skips replies that leave no message
   * if they have already been played.
   */
  #at(position: number, isFresh: (index: number) => boolean): number | undefined {
    const before = position === 0 ? -1 : this.#visible[position - 1];
    if (before === undefined) return undefined;
    for (let index = before + 1; index < this.#replies.length; index += 1) {
      if (this.#replies[index]?.when === undefined && isFresh(index)) return index;
    }
    return undefined;
  }
}
