// Invariants:
// D1 A note is a file of its own beside the sessions, replaced in one step: a kill leaves the one before or the one after.
// D2 Notes are compared and replaced under one lock, so that of two who want the next revision one gets it.
// D3 A note that cannot be read counts as none: its message is sent again, under its name.
// D4 A list reads what was replaced since the one before; whoever changes a note reads it anew.
import path from 'node:path';

import type { Deliveries, DeliveryNote, DeliveryPart } from '../src/core/index.js';
import { errnoOf, isDeliveryNote, isHitlError } from '../src/core/index.js';
import type { FileFacts } from './disk/file-system.js';
import { asSaveFailed, unreadable } from './disk/errno.js';
import { checkFolder, checkRoot, openSafely } from './disk/safe-open.js';
import { FOLDER_MODE, writeFileAtomically } from './disk/atomic-write.js';
import { OPEN } from './disk/file-system.js';
import type { StoreContext } from './folder/store-options.js';
import { sealLine, unsealLine } from './format/codec.js';
import { readRange } from './journal/read-lines.js';
import type { HeldLock } from './lock.js';
import { acquireLock } from './lock.js';
import { allParts, follows } from './delivery-book.js';
import type { Waiting } from './delivery-book.js';

/**
 * Name of the folder that contains the notes. It is not a valid session id, so no session can have the same
 * name.
 */
const FOLDER = '.deliveries';
const NOTE = /^([0-9a-f]{64})\.json$/u;
const LOCK_TRIES = 250;
const LOCK_PAUSE_MS = 20;

/**
 * A delivery note and the properties of the file that it was read from. Each change creates a new file (D1).
 */
interface KnownNote {
  readonly facts: FileFacts | undefined;
  readonly note: DeliveryNote;
}

function isSame(before: FileFacts | undefined, now: FileFacts | undefined): boolean {
  return before?.ino === now?.ino && before?.mtimeMs === now?.mtimeMs && before?.size === now?.size;
}

/** The delivery notes of a disk store. Each note is a small file in a folder next to the sessions. */
export class FileDeliveries implements Deliveries {
  readonly #context: StoreContext;
  readonly #folder: string;
  readonly #waiting: Waiting;
  #known: ReadonlyMap<string, KnownNote> = new Map();

  constructor(context: StoreContext, waiting: Waiting) {
    this.#context = context;
    this.#waiting = waiting;
    this.#folder = path.join(context.root, FOLDER);
  }

  async *list(): AsyncGenerator<DeliveryNote> {
    const known = new Map<string, KnownNote>();
    for (const key of this.#keys()) {
      const facts = this.#context.fs.lookUp(this.#fileOf(key));
      const before = this.#known.get(key);
      const note = isSame(before?.facts, facts) ? before?.note : this.#read(key); // D4
      if (note === undefined) continue;
      known.set(key, { facts, note });
      yield note;
    }
    this.#known = known;
  }

  due(): AsyncIterable<DeliveryPart> {
    return allParts(this, this.#waiting);
  }

  async put(note: DeliveryNote): Promise<boolean> {
    return this.#changing(
      note,
      (before) => follows(note, before),
      async (file) => {
        const line = sealLine(JSON.stringify(note).slice(0, -1));
        await writeFileAtomically(this.#context.fs, file, [line], this.#context.random);
      },
    );
  }

  async drop(note: DeliveryNote): Promise<boolean> {
    const isThis = (before: DeliveryNote | undefined): boolean => before?.revision === note.revision;
    return this.#changing(note, isThis, async (file) => {
      this.#context.fs.remove(file);
    });
  }

  #keys(): readonly string[] {
    try {
      checkRoot(this.#context.fs, this.#context.root);
      return this.#context.fs.entries(this.#folder).flatMap((name) => NOTE.exec(name)?.[1] ?? []);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw isHitlError(error) ? error : unreadable('what was sent', error);
    }
  }

  #fileOf(key: string): string {
    return path.join(this.#folder, `${key}.json`);
  }

  /** Reads the stored note with this key; `undefined` if there is none or it cannot be read (D3). */
  #read(key: string): DeliveryNote | undefined {
    const { fs } = this.#context;
    try {
      const fd = openSafely(fs, this.#fileOf(key), OPEN.read, []);
      try {
        const { sum: _sum, ...note } = unsealLine(readRange(fs, fd, { from: 0 }).subarray(0, -1)) ?? {};
        return isDeliveryNote(note) && note.key === key ? note : undefined;
      } finally {
        fs.close(fd);
      }
    } catch {
      return undefined;
    }
  }

  /** Changes a note if the stored note matches the expected one (D2). */
  async #changing(
    { key }: DeliveryNote,
    isExpected: (before: DeliveryNote | undefined) => boolean,
    change: (file: string) => Promise<void>,
  ): Promise<boolean> {
    if (!isExpected(this.#read(key))) return false;
    const { fs, root } = this.#context;
    try {
      checkRoot(fs, root);
      this.#makeFolder();
      checkFolder(fs, this.#folder, []);
      const lock = await this.#lock();
      try {
        if (!isExpected(this.#read(key))) return false;
        await change(this.#fileOf(key));
        return true;
      } finally {
        lock.release();
      }
    } catch (error) {
      throw asSaveFailed('what was sent', error);
    }
  }

  #makeFolder(): void {
    try {
      this.#context.fs.makeFolder(this.#folder, FOLDER_MODE);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Acquires the lock. Retries, because the lock is held only for the duration of one small write. */
  async #lock(): Promise<HeldLock> {
    const { fs, processes, helpers, now } = this.#context;
    const file = path.join(this.#folder, 'lock');
    for (let tries = 1; ; tries += 1) {
      try {
        return acquireLock(file, 'what was sent', { fs, processes, helpers, now });
      } catch (error) {
        if (!isHitlError(error) || error.code !== 'SESSION_LOCKED' || tries === LOCK_TRIES) throw error;
      }
      await this.#context.clock.sleep(LOCK_PAUSE_MS, new AbortController().signal);
    }
  }
}
