import { replaceWhole } from './disk/atomic-write.js';
import { saveFailed } from './disk/errno.js';
import type { SessionFolder } from './folder/session-folder.js';
import type { StoreContext } from './folder/store-options.js';
import { restingStatus } from './format/summary.js';
import type { SessionFacts } from './transcript-file.js';
import { transcriptPieces } from './transcript-file.js';

// Invariants:
// T1 A stop that leaves something to a person (a question, a failure, a limit) is in the file before anything else happens,
//    and so is the last stop of a session that is closed. Any other one is there at once, or after a pause that bounds
//    what the file costs: it is written whole, and a long session may stop often.
//    After a power cut it may be the one before, whole: the journal has everything, and a flush of the folder at each
//    stop would be waited for by everybody.
// T2 One writing at a time, in the order of the stops.

const SHORTEST_PAUSE_MS = 1000;
/**
 * Maximum pause between writes, in milliseconds. It applies if the clock was set or the disk hung during a
 * write.
 */
const LONGEST_PAUSE_MS = 60_000;
/**
 * Ratio of the pause before the next write to the duration of the last one. It limits writing to about a
 * twentieth of the time.
 */
const PAUSE_FACTOR = 20;

/** A stopped session whose records are all durable. */
export interface StoppedSession extends SessionFacts {
  readonly version: number;
}

/** Writes `transcript.json`. */
export class TranscriptWriter {
  readonly #context: StoreContext;
  readonly #folder: SessionFolder;
  /** The version of the session that the file contains. */
  #shown: number;
  /** Time at which the file was last written, in milliseconds since 1970. */
  #writtenAt = 0;
  #pauseMs = 0;
  #late: { saved: StoppedSession; readonly off: AbortController } | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param shown the version that the file is assumed to contain. */
  constructor(context: StoreContext, folder: SessionFolder, shown: number) {
    this.#context = context;
    this.#folder = folder;
    this.#shown = shown;
  }

  /**
   * Writes the transcript of a stopped session, either immediately or after a pause (T1). @throws HitlError
   * SAVE_FAILED, but not for a write after a pause
   */
  async save(saved: StoppedSession): Promise<void> {
    const passedMs = this.#context.now() - this.#writtenAt; // below zero where the clock was set back
    const isSoon = passedMs >= 0 && passedMs < this.#pauseMs;
    if (isSoon && restingStatus(saved.state) === 'done') this.#saveLate(saved, this.#pauseMs - passedMs);
    else await this.saveNow(saved);
  }

  /**
   * Writes the transcript of a stopped session, unless the file already contains this version. @throws
   * HitlError SAVE_FAILED
   */
  async saveNow(saved: StoppedSession): Promise<void> {
    this.callOff();
    const written = this.#last.then(() => (saved.version <= this.#shown ? undefined : this.#write(saved)));
    this.#last = written.catch(() => undefined);
    await written;
  }

  /** Cancels a delayed write, if there is one. */
  callOff(): void {
    this.#late?.off.abort();
    this.#late = undefined;
  }

  /** Writes the file even if it is up to date. @throws HitlError SAVE_FAILED */
  async rebuild(saved: StoppedSession): Promise<void> {
    this.#shown = 0;
    await this.saveNow(saved);
  }

  async #write(saved: StoppedSession): Promise<void> {
    const { fs, random, now } = this.#context;
    const began = now();
    try {
      await replaceWhole(fs, this.#folder.transcript, transcriptPieces(saved), random);
    } catch (error) {
      this.#pauseMs = 0; // the next stop tries at once, and tells
      throw saveFailed(`the transcript of session ${saved.id}`, error);
    }
    this.#shown = saved.version;
    this.#writtenAt = now();
    const wantedMs = PAUSE_FACTOR * (this.#writtenAt - began);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, wantedMs));
  }

  #saveLate(saved: StoppedSession, pauseMs: number): void {
    if (this.#late !== undefined) {
      this.#late.saved = saved;
      return;
    }
    const late = { saved, off: new AbortController() };
    this.#late = late;
    void this.#context.clock
      .sleep(pauseMs, late.off.signal)
      .then(() => this.saveNow(late.saved))
      .catch(() => undefined); // called off; or it failed, and can be made again from the journal
  }
}
