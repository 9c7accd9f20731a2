import { HitlError } from '../src/core/index.js';
import { writeFileAtomically, writeWhole } from './atomic-write.js';
import { saveFailed } from './errno.js';
import type { FileSystem } from './file-system.js';
import { OPEN } from './file-system.js';
import { readChunks } from './read-lines.js';

// Invariants:
// D1 `append` resolves only after its bytes and all bytes before them were flushed.
// D2 Bytes are written before `append` returns its promise, so that the death of the process does not lose them (F28);
//    appends that wait for a flush share the next one.
// D3 Before each write the file has the size, device and inode that the last write left (G24).
// D4 After a failed write the file is cut to what was written whole before it, at the latest before the next write.
// D5 After a failed flush the file is never flushed again and called good: what was durable before is verified,
//    copied to a new file, and that one is gone on with (G6). Everything that was not durable is lost to its callers.

/** Where a file ends, and whatever its owner needs to continue it. */
export interface FileTip {
  readonly length: number;
}

/** Bytes to append, and the tip behind them. */
export interface Step<Tip extends FileTip> {
  readonly bytes: Uint8Array;
  readonly tip: Tip;
}

export interface DurableFileOptions<Tip extends FileTip> {
  readonly fs: FileSystem;
  readonly path: string;
  /** What the file is to its user, for messages: `session 01k…`. */
  readonly what: string;
  /** Opened for appending; closed by `close`. */
  readonly fd: number;
  readonly tip: Tip;
  /** Throws where the file up to a tip is not what was written. */
  readonly verify: (fd: number, tip: Tip) => void;
  readonly random: (size: number) => Uint8Array;
}

/** A file that only grows; every append is durable when it resolves. */
export class DurableFile<Tip extends FileTip> {
  readonly #options: DurableFileOptions<Tip>;
  #fd: number;
  #dev: number;
  #ino: number;
  #durable: Tip;
  #written: Tip;
  #state: 'good' | 'tail' | 'flush' | 'closed' = 'good';
  /** Counts failed flushes; an append of an older one is lost. */
  #generation = 0;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #mending: Promise<void> | undefined;

  constructor(options: DurableFileOptions<Tip>) {
    this.#options = options;
    this.#fd = options.fd;
    this.#durable = options.tip;
    this.#written = options.tip;
    const { dev, ino } = options.fs.factsOf(options.fd);
    this.#dev = dev;
    this.#ino = ino;
  }

  /** Behind everything that is durable. */
  get durable(): Tip {
    return this.#durable;
  }

  /**
   * Appends what `make` derives from the tip; resolves when it is durable. Concurrent calls keep their order.
   * @throws HitlError SAVE_FAILED, VERSION_CONFLICT, and whatever `make` throws; then nothing of it counts.
   */
  async append(make: (tip: Tip) => Step<Tip>): Promise<void> {
    while (this.#state === 'tail' || this.#state === 'flush') await this.#mend();
    if (this.#state === 'closed') throw new HitlError('INTERNAL', `${this.#options.what} is closed`);
    const { bytes, tip } = make(this.#written);
    this.#fence();
    this.#write(bytes);
    this.#written = tip;
    await this.#flushed();
  }

  /** Waits for what is on its way and closes the file. */
  async close(): Promise<void> {
    await this.#mending?.catch(() => undefined); // whoever appends is told
    await this.#running;
    if (this.#state === 'closed') return;
    if (this.#state !== 'good') this.#forget();
    this.#state = 'closed';
    this.#options.fs.close(this.#fd);
  }

  /** Takes back what was never confirmed, as well as it can. */
  #forget(): void {
    try {
      this.#options.fs.truncate(this.#fd, this.#durable.length);
    } catch {
      // the next opening finds a torn tail, or records that nobody was told of
    }
  }

  #fence(): void {
    const { fs, path, what } = this.#options;
    const facts = fs.lookUp(path); // D3
    if (facts?.size === this.#written.length && facts.ino === this.#ino && facts.dev === this.#dev) return;
    throw new HitlError('VERSION_CONFLICT', `${what} was changed by another process`, {
      hint: 'open it again to see what is there now',
      detail: { expected: this.#written.length, found: facts?.size ?? null },
    });
  }

  #write(bytes: Uint8Array): void {
    const { fs, what } = this.#options;
    try {
      writeWhole(fs, this.#fd, bytes);
    } catch (error) {
      this.#state = 'tail';
      try {
        this.#cut();
      } catch {
        // D4: it is tried again before the next write
      }
      throw saveFailed(what, error);
    }
  }

  #cut(): void {
    this.#options.fs.truncate(this.#fd, this.#written.length);
    this.#state = 'good';
  }

  /** The flush that covers everything written so far: one that has not begun yet. */
  #flushed(): Promise<void> {
    if (this.#queued === undefined) {
      const generation = this.#generation;
      const flush = this.#running.then(() => this.#flush(generation));
      this.#queued = flush;
      this.#running = flush.catch(() => undefined);
    }
    return this.#queued;
  }

  async #flush(generation: number): Promise<void> {
    const { fs, what } = this.#options;
    if (generation !== this.#generation) throw saveFailed(what, new Error('the flush before it failed')); // D5
    this.#queued = undefined;
    const tip = this.#written;
    try {
      await fs.datasync(this.#fd);
    } catch (error) {
      this.#generation += 1;
      this.#state = 'flush';
      this.#queued = undefined;
      this.#written = this.#durable;
      throw saveFailed(what, error);
    }
    this.#durable = tip;
  }

  #mend(): Promise<void> {
    this.#mending ??= this.#mendOnce().finally(() => {
      this.#mending = undefined;
    });
    return this.#mending;
  }

  async #mendOnce(): Promise<void> {
    await this.#running;
    try {
      if (this.#state === 'tail') this.#cut();
      else await this.#replace();
    } catch (error) {
      throw saveFailed(this.#options.what, error);
    }
  }

  /** Copies what is durable to a new file in the place of the old one (D5). */
  async #replace(): Promise<void> {
    const { fs, path, verify, random } = this.#options;
    const tip = this.#durable;
    const old = fs.open(path, OPEN.read, 0);
    try {
      verify(old, tip);
      await writeFileAtomically(fs, path, readChunks(fs, old, { from: 0, to: tip.length }), random);
    } finally {
      fs.close(old);
    }
    const fd = fs.open(path, OPEN.append, 0);
    fs.close(this.#fd);
    const { dev, ino } = fs.factsOf(fd);
    this.#fd = fd;
    this.#dev = dev;
    this.#ino = ino;
    this.#state = 'good';
  }
}
