import { randomBytes } from 'node:crypto';
import { fstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { FileSystem } from '../../sessions/disk/file-system.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileStore } from '../../sessions/index.js';
import { createFileStore } from '../../sessions/index.js';
import type { Clock, StoredEvent } from '../../src/core/index.js';
import type { FaultyFileSystem } from '../sessions/faulty-file-system.js';
import { errnoError, faultyFileSystem } from '../sessions/faulty-file-system.js';

/** A disk, and the processes that come and go on it: all of them in this process, so that one can die. */
export class Machine implements Disposable {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'hitl-fuzz-'));
  readonly root = path.join(this.#folder, 'sessions');
  #now = Date.UTC(2026, 0, 2);
  /** Moves by a second each time it is asked; waiting takes no time. */
  readonly clock: Clock = {
    now: () => (this.#now += 1000),
    sleep: async (ms, signal) => {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      signal.throwIfAborted();
      this.#now += Math.max(0, ms);
    },
  };
  /** Who holds the kernel lock of a file, by its number. */
  readonly locks = new Map<number, FuzzProcess>();
  /** How much of a file was flushed, by its number. */
  readonly flushed = new Map<number, number>();

  constructor() {
    mkdirSync(this.#folder, { recursive: true });
  }

  /** The clock is set, forwards or back. */
  setClock(to: number): void {
    this.#now = to;
  }

  /** What stands in a journal, as far as its lines are whole. */
  journal(id: string): readonly StoredEvent[] {
    const text = readFileSync(this.#journalOf(id), 'utf8');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as StoredEvent);
  }

  bytes(id: string): Buffer {
    return readFileSync(this.#journalOf(id));
  }

  /** What was not flushed is gone. */
  cutPower(id: string): void {
    const file = this.#journalOf(id);
    const { ino, size } = statSync(file);
    truncateSync(file, Math.min(size, this.flushed.get(ino) ?? 0));
  }

  #journalOf(id: string): string {
    return path.join(this.root, id, 'journal.jsonl');
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A process: a store with a disk of its own that can fail, and an end. */
export class FuzzProcess implements Disposable {
  readonly #machine: Machine;
  readonly #descriptors = new Set<number>();
  readonly fs: FaultyFileSystem;
  readonly store: FileStore;
  alive = true;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.fs = this.#faulty();
    this.store = createFileStore({
      root: machine.root,
      clock: machine.clock,
      random: randomBytes,
      fs: this.fs,
      lockHelpers: [(fd) => this.#lock(fd)],
    });
  }

  /** Kill -9: the kernel takes back its files and locks, and nothing that it does afterwards reaches the disk. */
  [Symbol.dispose](): void {
    this.alive = false;
    for (const fd of [...this.#descriptors]) this.#close(fd);
  }

  #lock(fd: number): 'locked' | 'held' {
    const { ino } = fstatSync(fd);
    const holder = this.#machine.locks.get(ino);
    if (holder !== undefined) return 'held';
    this.#machine.locks.set(ino, this);
    return 'locked';
  }

  #close(fd: number): void {
    if (!this.#descriptors.delete(fd)) return; // the number may be somebody else's by now
    const { ino } = fstatSync(fd);
    if (this.#machine.locks.get(ino) === this) this.#machine.locks.delete(ino);
    nodeFileSystem().close(fd);
  }

  /** The disk as long as this process lives, with its own descriptors only. */
  #real(): FileSystem {
    const real = nodeFileSystem();
    const own = (fd: number): number => {
      if (!this.alive || !this.#descriptors.has(fd)) throw errnoError('EBADF');
      return fd;
    };
    return {
      ...real,
      open: (file, flags, mode) => {
        if (!this.alive) throw errnoError('ESRCH');
        const fd = real.open(file, flags, mode);
        this.#descriptors.add(fd);
        return fd;
      },
      close: (fd) => {
        this.#close(fd);
      },
      read: (fd, bytes, position) => real.read(own(fd), bytes, position),
      write: (fd, bytes, from) => real.write(own(fd), bytes, from),
      truncate: (fd, length) => {
        real.truncate(own(fd), length);
      },
      factsOf: (fd) => real.factsOf(own(fd)),
      watch: () => () => undefined,
    };
  }

  #faulty(): FaultyFileSystem {
    const fs = faultyFileSystem(this.#real());
    const { datasync, sync } = fs;
    const noting = (flush: (fd: number) => Promise<void>) => async (fd: number) => {
      const { ino, size } = fs.factsOf(fd);
      await flush(fd);
      this.#machine.flushed.set(ino, size);
    };
    fs.datasync = noting(datasync);
    fs.sync = noting(sync);
    return fs;
  }
}
