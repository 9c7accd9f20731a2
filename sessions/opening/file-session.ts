import type { AppendOptions, Session, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { HitlError, isHitlError, isoTime } from '../../src/core/index.js';
import type { DurableFile, Step } from '../journal/durable-file.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { HeldLock } from '../lock.js';
import { checkWritable, openForReading } from '../journal/open-journal.js';
import { encodeBatch } from '../journal/session-tip.js';
import { readLines } from '../journal/read-lines.js';
import { recordReader } from '../journal/scan-journal.js';
import { inboxFile } from '../inbox/inbox-file.js';
import type { InboxPlace } from '../inbox/inbox-place.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import type { StoppedSession } from '../transcript-writer.js';
import { TranscriptWriter } from '../transcript-writer.js';
import { SNAPSHOT_EVERY, writeSnapshot } from '../snapshot/write-snapshot.js';
import { signOf } from './adoption.js';
import { SessionBase } from './session-base.js';

export interface FileSessionOptions {
  readonly context: StoreContext;
  readonly folder: SessionFolder;
  /** The end of the part of the session that was read. */
  readonly tip: SessionTip;
  readonly notices: readonly string[];
  /** Absent if the session is open only for reading. */
  readonly writer?: {
    readonly journal: DurableFile<SessionTip>;
    readonly lock: HeldLock;
    /** Number of records in the snapshot; 0 if there is none. */
    readonly snapshotSeq: number;
  };
}

/** A session on disk. */
export interface FileSession extends Session {
  /**
   * Writes `transcript.json` if events were appended since the last time. Call it whenever a run stops. The
   * promise resolves when the file has been replaced. However, if the session is done and the file was
   * written shortly before, the file is replaced later, and the promise does not wait for that.
   * @throws HitlError SAVE_FAILED; the journal is unchanged.
   */
  saveTranscript(): Promise<void>;
  /**
   * Rewrites the files derived from the journal: the snapshot and the transcript. @throws HitlError
   * SAVE_FAILED, INTERNAL
   */
  rebuild(): Promise<void>;
}

/** A session whose records are stored in files. */
export class SessionInFiles extends SessionBase implements FileSession {
  readonly notices: readonly string[];
  readonly #options: FileSessionOptions;
  readonly #tip: SessionTip;
  readonly #transcript: TranscriptWriter;
  readonly #lost = new AbortController();
  /** Number of the record that was last saved as the end of the session. */
  #kept = 0;
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

  get missing(): number | undefined {
    const [adoption] = this.durable.adoption;
    return adoption?.type === 'approvals-voided' ? adoption.lost?.count : undefined;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  protected place(): InboxPlace {
    const { context, folder } = this.#options;
    return inboxFile(context, folder, () => this.appended);
  }

  /**
   * Appends events. If the list is empty, only adopts records that were not written with our key. The first
   * events of a writer are preceded by `session-opened`. Concurrent calls keep their order.
   * @throws HitlError ILLEGAL_EVENT before anything is written, SAVE_FAILED, VERSION_CONFLICT, SESSION_CLOSED
   */
  async append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void> {
    const { writer } = this.#options;
    checkWritable(this.id, this.mode);
    if (writer === undefined || (events.length === 0 && this.appended.adoption.length === 0)) return;
    let written: readonly StoredEvent[] = [];
    const appended = writer.journal.append((tip) => {
      const { step, stored } = this.#encode(tip, events);
      written = stored;
      return step;
    }, options);
    const { state } = this; // what is appended before these are durable comes behind them
    try {
      await this.listeners.told(appended, () => ({ events: written, state }));
      const { seq, adoption } = this.#options.tip;
      // A process that dies before its first rest leaves an end all the same: it was made, or taken over, here.
      if ((seq === 0 || adoption.length > 0) && this.#kept === 0) this.#keepEnd();
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'VERSION_CONFLICT') this.#lost.abort(thrown);
      throw thrown;
    }
  }

  #encode(
    tip: SessionTip,
    events: readonly SessionEvent[],
  ): { readonly step: Step<SessionTip>; readonly stored: readonly StoredEvent[] } {
    const { processes, now, owner: key } = this.#options.context;
    const { pid, host, user: owner } = processes;
    const writer = { pid, host, owner, at: isoTime(now()), first: this.first, sign: signOf(key(this.id)) };
    const { lines, stored, tip: next } = encodeBatch(tip, events, writer);
    const [only, ...others] = lines;
    const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(lines);
    return { step: { bytes, tip: next }, stored };
  }

  /**
   * Yields every durable event, starting with the first. Reads the file during iteration.
   * @throws HitlError SESSION_DAMAGED if the file has changed since the session was opened.
   */
  async *events(): AsyncIterable<StoredEvent> {
    const { context, folder } = this.#options;
    const to = this.durable.length;
    const fd = openForReading(context.fs, folder);
    try {
      const next = recordReader(context.owner(this.id), context.steps);
      for (const { bytes } of readLines(context.fs, fd, { from: 0, to })) {
        const stored = next(bytes);
        if (stored === undefined) throw changedMeanwhile(this.id);
        yield stored;
      }
    } finally {
      context.fs.close(fd);
    }
  }

  async saveTranscript(): Promise<void> {
    if (this.mode !== 'write') return;
    const stopped = await this.#stopped();
    this.#keepEnd();
    await this.#transcript.save(stopped);
  }

  async rebuild(): Promise<void> {
    checkWritable(this.id, this.mode);
    const { context, folder } = this.#options;
    const stopped = await this.#stopped();
    if (this.durable.adoption.length === 0) writeSnapshot(context, folder, this.durable);
    await this.#transcript.rebuild(stopped);
  }

  /** Returns the session as stored on disk, after all pending writes have finished. */
  async #stopped(): Promise<StoppedSession> {
    const { context, folder, writer } = this.#options;
    await writer?.journal.flushed();
    return new SessionInFiles({ context, folder, tip: this.durable, notices: [] });
  }

  /** Records the durable end of the session next to the key (E1 of `../seal/ends.ts`). */
  #keepEnd(): void {
    const { context, folder, tip } = this.#options;
    const { seq, prev, adoption } = this.durable;
    if (seq === this.#kept || seq === tip.seq || adoption.length > 0) return;
    this.#kept = seq;
    context.ends?.keepJournal(folder.id, { seq, mac: prev });
  }

  #saveSnapshot(): void {
    const { context, folder, writer } = this.#options;
    if (writer === undefined || this.durable.seq - writer.snapshotSeq < SNAPSHOT_EVERY) return;
    writeSnapshot(context, folder, this.durable);
  }

  /** Waits for pending work, writes the transcript, and releases the lock. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { writer } = this.#options;
    try {
      await writer?.journal.close();
      this.#keepEnd();
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
  return new HitlError('SESSION_DAMAGED', `the journal of session ${id} changed while it was being read`, {
    hint: `nothing was changed; inspect it with: hitl doctor ${id}`,
  });
}
