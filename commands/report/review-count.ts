// Invariants:
// C1 Each event is read once: those from before in slices between which keys are handled, the others as they are appended.
//    Drawing reads none.
// C2 A number is right, or it is not shown: nothing is counted before all events were read, or where they cannot be.
import type { Session, StoredEvent } from '../../src/core/index.js';
import { ReviewTally } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { ReviewMark } from './review-marks.js';
import { isMarked, readMarks } from './review-marks.js';

/** Dependencies for counting calls to review. */
interface CountPlace {
  readonly io: Pick<Io, 'env' | 'home' | 'clock'>;
  readonly session: Pick<Session, 'id' | 'events' | 'onAppended'>;
  /** Called when the number may have changed without a new event. */
  readonly changed: () => void;
}

/**
 * A tally of the session's events, with the numbers of the last event that was read and the last event that
 * the user has seen.
 */
interface Counted {
  readonly tally: ReviewTally;
  /** Number of the last event that was read. */
  readonly until: number;
  /** Number of the last event that the user has seen. */
  readonly seen: number;
}

/** How long to read events before letting other work run, in milliseconds. */
const SLICE_MS = 8;

/**
 * Counts the calls to review in an open session. These are calls that ran without the user's own approval and
 * that the user has not seen.
 */
export class ReviewCount implements Disposable {
  readonly #place: CountPlace;
  readonly #unlisten: () => void;
  #counted: Counted | undefined;
  #mark: ReviewMark | undefined;
  /** Events that arrive while earlier ones are being read. */
  #meanwhile: StoredEvent[] = [];
  #isStopped = false;
  #looked: Promise<void>;

  constructor(place: CountPlace) {
    this.#place = place;
    this.#unlisten = place.session.onAppended((events) => {
      this.#appended(events);
    });
    this.#looked = this.#look(true);
  }

  /** Number of calls to review; 0 until it is known. */
  get calls(): number {
    return this.#counted?.tally.after(this.#counted.seen) ?? 0;
  }

  /** Rereads the user's review mark, because another process may have changed it. */
  async refresh(): Promise<void> {
    this.#looked = this.#looked.then(() => this.#look(false));
    await this.#looked;
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #appended(events: readonly StoredEvent[]): void {
    this.#meanwhile.push(...events);
    if (this.#counted !== undefined) this.#takeUp(this.#counted);
    if (events.some(({ event }) => event.type === 'run-ended')) void this.refresh();
  }

  /** Never rejects. */
  async #look(isFirst: boolean): Promise<void> {
    await breath(); // what is drawn first does not wait for it
    const { io, session, changed } = this.#place;
    const { marks } = await readMarks(io);
    const mark = marks.get(session.id);
    if (this.#isStopped || (!isFirst && mark?.seq === this.#mark?.seq && mark?.digest === this.#mark?.digest))
      return;
    this.#mark = mark;
    this.#counted = undefined; // what comes meanwhile waits for the new one
    try {
      const counted = await this.#read(mark);
      if (counted === undefined) return;
      this.#takeUp(counted);
      changed();
    } catch {
      this[Symbol.dispose](); // C2
    }
  }

  /** Reads all events of the session. Returns `undefined` if the count was stopped. */
  async #read(mark: ReviewMark | undefined): Promise<Counted | undefined> {
    const { io, session } = this.#place;
    const tally = new ReviewTally();
    let [until, seen, pause] = [0, 0, io.clock.now() + SLICE_MS];
    for await (const stored of session.events()) {
      if (this.#isStopped) return undefined;
      tally.read(stored);
      until = stored.seq;
      if (mark !== undefined && isMarked(mark, stored)) seen = mark.seq;
      if (io.clock.now() < pause) continue;
      await breath();
      pause = io.clock.now() + SLICE_MS;
    }
    return { tally, until, seen };
  }

  /**
   * Sets the count, and adds events that arrived while earlier ones were being read. Events that were already
   * read are not counted twice.
   */
  #takeUp({ tally, until, seen }: Counted): void {
    let last = until;
    for (const stored of this.#meanwhile) {
      if (stored.seq <= last) continue;
      tally.read(stored);
      last = stored.seq;
    }
    this.#meanwhile = [];
    this.#counted = { tally, until: last, seen };
  }
}

/** Yields to the event loop, so that keys and timers can be handled. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
