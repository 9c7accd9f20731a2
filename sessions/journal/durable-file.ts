import type { AppendOptions } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { OPEN } from '../disk/file-system.js';
import { saveFailed } from '../disk/errno.js';
import { writeFileAtomically, writeWhole } from '../disk/atomic-write.js';
import type { FileSystem } from '../disk/file-system.js';
import { FlushQueue } from './flush-queue.js';
import { closed } from './open-journal.js';
import { readChunks } from './read-lines.js';

// Invariants:
// D1 `append` resolves only after its bytes and all bytes before them were flushed.
// D2 Bytes are written before `append` returns its promise, so that the death of the process does not lose them;
//    only a file that has to be mended gets them later.
// D3 Before each write the file has the size, device and inode that the last write left (G24).
// D4 After a failed write the file is cut to what was written whole before it, at the latest before the next write.
// D5 After a failed flush the file is never flushed again and called good: what was durable before is verified,
//    copied to a new file, and that one is gone on with (G6). Everything that was not durable is lost to its callers.
// D6 An append that fails leaves no trace in `appended`. After a lazy one nothing is appended in the same turn of the
//    event loop: its caller may not have heard of it, and what follows would take its place.

/** The end of a file, with the data that its owner needs to continue the file. */
export interface FileTip {
  readonly length: number;
}

/** Bytes to append, and the tip after them. */
export interface Step<Tip extends FileTip> {
  readonly bytes: Uint8Array;
  readonly tip: Tip;
}

export interface DurableFileOptions<Tip extends FileTip> {
  readonly fs: FileSystem;
  readonly path: string;
  /** The name of the file in messages, for example `session 01k…`. */
  readonly what: string;
  /** Opened for appending; closed by `close`. */
  readonly fd: number;
  readonly tip: Tip;
  /** Throws if the content of the file up to a tip differs from the content that was written. */
  readonly verify: (fd: number, tip: Tip) => void;
  readonly random: (size: number) => Uint8Array;
}

/** An append-only file. Every append is durable when its promise resolves. */
export class DurableFile<Tip extends FileTip> {
  readonly #options: DurableFileOptions<Tip>;
  #fd: number;
  #dev: number;
  #ino: number;
  #durable: Tip;
  #written: Tip;
  #appended: Tip;
  #state: 'good' | 'tail' | 'flush' | 'closed' = 'good';
  /** Appended bytes that are kept in memory until the file is repaired. */
  #held: Uint8Array[] = [];
  /** Position of the end of the last lazy append. */
  #lazyEnd = 0;
  /**
   * Number of times that unwritten bytes were discarded. If an append started when this count was lower, it
   * was lost.
   */
  #generation = 0;
  #refusal: { readonly error: unknown } | undefined;
  readonly #flushes = new FlushQueue(() => this.#flush());
  #mending: Promise<void> | undefined;

  constructor(options: DurableFileOptions<Tip>) {
    this.#options = options;
    this.#fd = options.fd;
    this.#durable = options.tip;
    this.#written = options.tip;
    this.#appended = options.tip;
    const { dev, ino } = options.fs.factsOf(options.fd);
    this.#dev = dev;
    this.#ino = ino;
  }

  /** The tip after all durable bytes. */
  get durable(): Tip {
    return this.#durable;
  }

  /** The tip after all appended bytes, durable or not. */
  get appended(): Tip {
    return this.#appended;
  }

  /**
   * Appends the bytes that `make` derives from the tip, and resolves when they are durable. Concurrent calls
   * keep their order.
   * @throws HitlError SAVE_FAILED, VERSION_CONFLICT, and any error of `make`. If it throws, nothing is
   * appended.
   */
  async append(make: (tip: Tip) => Step<Tip>, { lazily = false }: AppendOptions = {}): Promise<void> {
    this.#take(make, lazily);
    const generation = this.#generation;
    if (this.#state !== 'good') await (this.#mending ??= this.#mend());
    if (generation !== this.#generation)
      throw saveFailed(this.#options.what, new Error('earlier writes were lost')); // D5
    await this.#flushes.flushed(lazily);
  }

  /**
   * Waits until all appended bytes are durable or lost. Errors are reported only to the callers of `append`.
   */
  async flushed(): Promise<void> {
    await this.#mending?.catch(() => undefined);
    await this.#flushes.idle();
  }

  /** Waits for pending work, then closes the file. */
  async close(): Promise<void> {
    // A flush behind the closing would be one of whatever has this descriptor by then.
    do await this.flushed();
    while (this.#mending !== undefined || this.#flushes.isBusy);
    if (this.#state === 'closed') return;
    if (this.#state !== 'good') this.#forget();
    this.#state = 'closed';
    this.#options.fs.close(this.#fd);
  }

  #take(make: (tip: Tip) => Step<Tip>, lazily: boolean): void {
    if (this.#refusal !== undefined) throw this.#refusal.error; // D6
    try {
      if (this.#state === 'closed') throw closed(this.#options.what);
      const { bytes, tip } = make(this.#appended);
      if (this.#state === 'good') this.#write(bytes, tip);
      else this.#held.push(bytes);
      this.#appended = tip;
      if (lazily) this.#lazyEnd = tip.length;
    } catch (error) {
      if (lazily) this.#refuse(error);
      throw error;
    }
  }

  /** Discards all bytes that have not been written (D6). */
  #lose(error: unknown): void {
    this.#generation += 1;
    this.#appended = this.#written;
    this.#held = [];
    if (this.#lazyEnd > this.#written.length) this.#refuse(error);
    this.#lazyEnd = 0;
  }

  #refuse(error: unknown): void {
    this.#refusal = { error };
    setImmediate(() => {
      this.#refusal = undefined;
    });
  }

  /** Tries to remove the bytes that have not been confirmed as durable. */
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
      hint: 'reopen it to see its current content',
      detail: { expected: this.#written.length, found: facts?.size ?? null },
    });
  }

  #write(bytes: Uint8Array, tip: Tip): void {
    const { fs, what } = this.#options;
    this.#fence();
    try {
      writeWhole(fs, this.#fd, bytes);
    } catch (error) {
      this.#cutTail();
      throw saveFailed(what, error);
    }
    this.#written = tip;
  }

  #cutTail(): void {
    this.#state = 'tail';
    try {
      this.#cut();
      this.#state = 'good';
    } catch {
      // D4: it is tried again before the next write
    }
  }

  #cut(): void {
    this.#options.fs.truncate(this.#fd, this.#written.length);
  }

  async #flush(): Promise<void> {
    const { fs, what } = this.#options;
    const tip = this.#written;
    try {
      await fs.datasync(this.#fd);
    } catch (thrown) {
      const error = saveFailed(what, thrown);
      this.#state = 'flush';
      this.#written = this.#durable; // D5
      this.#lose(error);
      throw error;
    }
    this.#durable = tip;
  }

  /** Makes the file writable again and writes all bytes appended in the meantime. */
  async #mend(): Promise<void> {
    try {
      await this.#flushes.idle();
      await this.#restore();
      this.#state = 'good';
      this.#write(Buffer.concat(this.#held), this.#appended);
    } catch (error) {
      this.#lose(error);
      throw error;
    } finally {
      this.#held = [];
      this.#mending = undefined;
    }
  }

  async #restore(): Promise<void> {
    try {
      if (this.#state === 'tail') this.#cut();
      else await this.#replace();
    } catch (error) {
      throw saveFailed(this.#options.what, error);
    }
  }

  /** Copies the durable part to a new file that replaces the old one (D5). */
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
  }
}
