import type { AppendOptions, Session, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { evolve, HitlError, isHitlError, isoTime } from '../../src/core/index.js';
import { decodeLine } from '../format/index.js';
import type { DurableFile, SessionTip, Step } from '../journal/index.js';
import type { LoadedJournal } from '../snapshot/index.js';
import type { HeldLock } from '../lock/index.js';
import { checkWritable, encodeBatch, openForReading, readLines } from '../journal/index.js';
import { inboxFile } from '../inbox/index.js';
import type { InboxPlace } from '../inbox/index.js';
import type { SessionFolder, StoreContext } from '../folder/index.js';
import { isForeign, sealOfOpening } from '../seal/index.js';
import type { Opening } from '../seal/index.js';
import { readText } from '../disk/index.js';
import type { StoppedSession } from '../transcript/index.js';
import { TranscriptWriter } from '../transcript/index.js';
import { SNAPSHOT_EVERY, writeSnapshot } from '../snapshot/index.js';
import { SessionBase } from './session-base.js';

/** The tip of what was read; of a foreign session without what people approved there (S2 of `../seal/seal.ts`). */
export function tipOf(context: StoreContext, folder: SessionFolder, loaded: LoadedJournal): SessionTip {
  const { position, createdAt, updatedAt, opening } = loaded;
  const key = context.key();
  const foreign =
    position.seq > 0 &&
    (isForeign(key, folder.id, opening) || (key !== undefined && cameHere(context, folder, opening)));
  const state = foreign ? evolve(loaded.state, { type: 'approvals-voided' }) : loaded.state;
  return { ...position, state, isOpened: false, opening, isForeign: foreign, createdAt, updatedAt };
}

/** True where the latest opening came with a copy (S4 of `../seal/seal.ts`). */
function cameHere({ fs }: StoreContext, { copied }: SessionFolder, opening: Opening | undefined): boolean {
  if (fs.lookUp(copied) === undefined) return false;
  const text = readText(fs, copied);
  return text === undefined || text === (opening?.prev ?? '');
}

export interface FileSessionOptions {
  readonly context: StoreContext;
  readonly folder: SessionFolder;
  /** The tip of what was read. */
  readonly tip: SessionTip;
  readonly notices: readonly string[];
  /** Absent in a session that is only read. */
  readonly writer?: {
    readonly journal: DurableFile<SessionTip>;
    readonly lock: HeldLock;
    /** The number of records that the snapshot holds; 0 where there is none. */
    readonly snapshotSeq: number;
  };
}

/** A session on disk. */
export interface FileSession extends Session {
  /**
   * Writes `transcript.json`, where anything was appended since the last time. Call it wherever a run stops; it waits
   * until the whole file is in its place. Where nothing is left to a person, a stop soon after another one is written a little later.
   * @throws HitlError SAVE_FAILED; the journal is as it was.
   */
  saveTranscript(): Promise<void>;
  /** Writes what is made from the journal anew: snapshot and transcript. @throws HitlError SAVE_FAILED, INTERNAL */
  rebuild(): Promise<void>;
}

/** A session whose records are in files. */
export class SessionInFiles extends SessionBase implements FileSession {
  readonly notices: readonly string[];
  readonly #options: FileSessionOptions;
  readonly #tip: SessionTip;
  readonly #transcript: TranscriptWriter;
  readonly #lost = new AbortController();
  #isClosed = false;

  constructor(options: FileSessionOptions) {
    super(options.folder.id, options.writer === undefined ? 'read' : 'write');
    this.notices = options.notices;
    this.#options = options;
    this.#tip = options.tip;
    this.#transcript = new TranscriptWriter(options.context, options.folder, options.tip.seq);
  }

  protected get appended(): SessionTip {
    return this.#options.writer?.journal.appended ?? this.#tip;
  }

  protected get durable(): SessionTip {
    return this.#options.writer?.journal.durable ?? this.#tip;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  protected place(): InboxPlace {
    const { context, folder } = this.#options;
    return inboxFile(context, folder, () => this.state);
  }

  /**
   * Appends events; a writer's first ones are preceded by `session-opened`. Concurrent calls keep their order.
   * @throws HitlError ILLEGAL_EVENT before anything is written, SAVE_FAILED, VERSION_CONFLICT, SESSION_CLOSED
   */
  async append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void> {
    const { writer } = this.#options;
    checkWritable(this.id, this.mode);
    if (events.length === 0 || writer === undefined) return;
    let written: readonly StoredEvent[] = [];
    const appended = writer.journal.append((tip) => {
      const { step, stored } = this.#encode(tip, events);
      written = stored;
      return step;
    }, options);
    const { state } = this; // what is appended before these are durable comes behind them
    try {
      await this.listeners.told(appended, () => ({ events: written, state }));
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'VERSION_CONFLICT') this.#lost.abort(thrown);
      throw thrown;
    }
  }

  #encode(
    tip: SessionTip,
    events: readonly SessionEvent[],
  ): { readonly step: Step<SessionTip>; readonly stored: readonly StoredEvent[] } {
    const { processes, now, key } = this.#options.context;
    const { id } = this;
    const seal = (prev: string): string | undefined => {
      const own = key();
      return own && sealOfOpening(own, id, prev);
    };
    const { pid, host } = processes;
    const writer = { pid, host, at: isoTime(now()), first: this.first, seal };
    const { lines, stored, tip: next } = encodeBatch(tip, events, writer);
    const [only, ...others] = lines;
    const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(lines);
    return { step: { bytes, tip: next }, stored };
  }

  /**
   * Every durable event, from the first. Reads the file while it is iterated.
   * @throws HitlError SESSION_DAMAGED where it is not what it was when the session was opened.
   */
  async *events(): AsyncIterable<StoredEvent> {
    const { context, folder } = this.#options;
    const to = this.durable.length;
    const fd = openForReading(context.fs, folder);
    try {
      for (const line of readLines(context.fs, fd, { from: 0, to })) {
        const decoded = decodeLine(line.bytes, context.steps);
        if (decoded.type !== 'event') throw changedMeanwhile(this.id);
        yield decoded.stored;
      }
    } finally {
      context.fs.close(fd);
    }
  }

  async saveTranscript(): Promise<void> {
    if (this.mode === 'write') await this.#transcript.save(await this.#stopped());
  }

  async rebuild(): Promise<void> {
    checkWritable(this.id, this.mode);
    const { context, folder } = this.#options;
    const stopped = await this.#stopped();
    if (!this.durable.isForeign) writeSnapshot(context, folder, this.durable);
    await this.#transcript.rebuild(stopped);
  }

  /** The session as it is on disk, once everything is there. */
  async #stopped(): Promise<StoppedSession> {
    const { context, folder, writer } = this.#options;
    await writer?.journal.flushed();
    return new SessionInFiles({ context, folder, tip: this.durable, notices: [] });
  }

  #saveSnapshot(): void {
    const { context, folder, writer } = this.#options;
    if (writer === undefined || this.durable.seq - writer.snapshotSeq < SNAPSHOT_EVERY) return;
    writeSnapshot(context, folder, this.durable);
  }

  /** Waits for what is on its way, writes the transcript, and gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { writer } = this.#options;
    try {
      await writer?.journal.close();
      this.#saveSnapshot();
      // It can be made again from the journal, which is safe.
      if (writer !== undefined) await this.#transcript.saveNow(await this.#stopped()).catch(() => undefined);
    } finally {
      this.#transcript.callOff();
      writer?.lock.release();
    }
  }
}

function changedMeanwhile(id: string): HitlError {
  return new HitlError('SESSION_DAMAGED', `the journal of session ${id} was changed while it was read`, {
    hint: `nothing was changed by us; to see what is there now: hitl doctor ${id}`,
  });
}
