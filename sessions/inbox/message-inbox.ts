import type {
  ControlVerb,
  InboxControl,
  InboxDrop,
  InboxItem,
  InboxMessage,
  LeftItems,
  RunInbox,
  SafePoint,
  SessionEvent,
  TakenItems,
  TakeOptions,
} from '../../src/core/index.js';
import { changesFlow, isHitlError, isoTime, Mutex, once } from '../../src/core/index.js';
import type { InboxPlace, SessionNow } from './inbox-place.js';
import { InboxReader } from './inbox-place.js';
import { MessageBoard } from './message-board.js';
import { isFor } from './message-target.js';

// Invariants:
// D1 What was delivered is in the journal and nowhere else: after a crash the inbox is read from its start.
// D2 From handing out to `release` nobody else sends, removes or takes, so that nothing is delivered and withdrawn.
// D3 What an earlier process took, and left without a word of its effect, has none: it is told and not done.

type Hold =
  | { readonly isHeld: true; readonly release: () => void }
  | { readonly isHeld: false; readonly notices: readonly string[] };

const NOTHING = { messages: [], events: [], notices: [], release: () => undefined } as const;

/**
 * A session's messages, for the process that writes the session. There is exactly one instance while the
 * session is open.
 */
export class MessageInbox implements RunInbox {
  readonly #place: InboxPlace;
  readonly #session: () => SessionNow;
  readonly #board = new MessageBoard();
  readonly #reader: InboxReader;
  /** Messages that earlier processes took but did not finish handling (D3). */
  #orphans: readonly InboxItem[];
  /** Held while this process takes messages. */
  readonly #turn = new Mutex();

  /** @param session returns the current session. */
  constructor(place: InboxPlace, session: () => SessionNow) {
    this.#place = place;
    this.#session = session;
    this.#reader = new InboxReader(place, this.#board);
    this.#orphans = session().state.inbox?.unsettled ?? [];
  }

  /**
   * Takes messages at a safe point. Control messages are taken first and on their own. A `cancel` takes
   * precedence over all others; otherwise, the last one applies. Messages for other nodes stay queued.
   * If the inbox stays locked, returns a notice instead of messages.
   * @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE, LOCK_UNAVAILABLE
   */
  async take(
    point: SafePoint,
    signal: AbortSignal,
    { isLast = endsTaking, wants = () => true, events = () => false }: TakeOptions = {},
  ): Promise<TakenItems> {
    const isWanted = (message: InboxMessage): boolean =>
      isFor(message.target, point.path) && (message.event === undefined ? wants(message) : events(message));
    const hold = await this.#hold(signal, () => this.#hasNews(isWanted));
    if (!hold.isHeld) return { ...NOTHING, notices: hold.notices };
    const { release } = hold;
    const control = this.#verb();
    const messages = control === undefined ? this.#matching(isLast, isWanted) : [];
    const deliveredAt = isoTime(this.#place.now());
    const delivered = [...this.#board.controls(), ...messages].map(
      (item) => ({ type: 'inbox-delivered', item, point, deliveredAt }) as const,
    );
    const told = [...this.#lost(), ...this.#drops(), ...delivered];
    const notices = this.#orphans.map(
      ({ id }) =>
        `message ${id} was taken from the queue before this session was interrupted; it did not take effect, and never will`,
    );
    return { ...(control !== undefined && { control }), messages, events: told, notices, release };
  }

  async waiting(): Promise<readonly InboxMessage[]> {
    await this.#look();
    return [...this.#board.waiting(this.#place.now())];
  }

  async arrived(behind: number, signal: AbortSignal): Promise<void> {
    const look = async (): Promise<true | undefined> =>
      (await this.waiting()).some(({ seq }) => seq > behind) || undefined;
    await this.#place.until(look, signal);
  }

  async control(verbs: readonly ControlVerb[], signal: AbortSignal): Promise<InboxControl> {
    const look = async (): Promise<InboxControl | undefined> => {
      await this.#look();
      return this.#board.controls().find(({ verb }) => verbs.includes(verb));
    };
    return this.#place.until(look, signal);
  }

  /** @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE, LOCK_UNAVAILABLE */
  async end(signal: AbortSignal): Promise<LeftItems> {
    const hold = await this.#hold(signal, () => this.#hasOdds());
    const messages = [...this.#board.waiting(this.#place.now())];
    if (!hold.isHeld) return { messages, events: [], release: NOTHING.release };
    const late = this.#dropped(this.#board.controls(), 'run-ended');
    return { messages, events: [...this.#lost(), ...this.#drops(), ...late], release: hold.release };
  }

  #hasNews(isWanted: (message: InboxMessage) => boolean): boolean {
    return this.#hasOdds() || [...this.#board.waiting(this.#place.now())].some(isWanted);
  }

  /**
   * Whether anything must be recorded apart from delivered messages: expired messages, control messages,
   * removals or lost messages.
   */
  #hasOdds(): boolean {
    const { length: expired } = this.#board.expired(this.#place.now());
    return expired + this.#board.controls().length + this.#board.removed().length + this.#lost().length > 0;
  }

  /** Returns the control message that takes precedence. */
  #verb(): InboxControl | undefined {
    const controls = this.#board.controls();
    return controls.find(({ verb }) => verb === 'cancel') ?? controls.at(-1);
  }

  #matching(
    isLast: (message: InboxMessage) => boolean,
    isWanted: (message: InboxMessage) => boolean,
  ): readonly InboxMessage[] {
    const messages: InboxMessage[] = [];
    for (const message of this.#board.waiting(this.#place.now())) {
      if (!isWanted(message)) continue;
      messages.push(message);
      if (isLast(message)) break;
    }
    return messages;
  }

  #drops(): readonly SessionEvent[] {
    const expired = this.#board.expired(this.#place.now());
    return [...this.#dropped(expired, 'expired'), ...this.#dropped(this.#board.removed(), 'removed')];
  }

  #dropped(items: readonly Pick<InboxItem, 'id' | 'seq'>[], why: InboxDrop): readonly SessionEvent[] {
    const droppedAt = isoTime(this.#place.now());
    return items.map(({ id, seq }) => ({ type: 'inbox-dropped', id, seq, why, droppedAt }));
  }

  /** Returns events that record the orphaned messages as lost (D3). */
  #lost(): readonly SessionEvent[] {
    const open = new Set(this.#session().state.inbox?.unsettled.map(({ id }) => id));
    this.#orphans = this.#orphans.filter(({ id }) => open.has(id));
    return this.#orphans.map(({ id }) => ({ type: 'inbox-settled', id, outcome: { type: 'lost' } }));
  }

  /** Reads the inbox. If `isNeeded` then returns true, locks the inbox (D2). */
  async #hold(signal: AbortSignal, isNeeded: () => boolean): Promise<Hold> {
    const leave = await this.#turn.acquire(signal);
    try {
      await this.#look();
      if (!isNeeded()) {
        leave();
        return { isHeld: false, notices: [] };
      }
      const lock = await this.#place.lock(signal);
      const release = once(() => {
        lock.release();
        leave();
      });
      try {
        await this.#look();
      } catch (error) {
        release();
        throw error;
      }
      return { isHeld: true, release };
    } catch (error) {
      leave();
      if (!isHitlError(error) || error.code !== 'SESSION_LOCKED') throw error;
      return { isHeld: false, notices: [`${error.message}: messages wait for the next safe point`] };
    }
  }

  async #look(): Promise<void> {
    await this.#reader.look(this.#session().past);
    this.#board.forget(this.#session().state.inbox);
  }
}

function endsTaking({ action }: InboxMessage): boolean {
  return action !== undefined && changesFlow(action);
}
