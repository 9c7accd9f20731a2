import { createHash } from 'node:crypto';
import path from 'node:path';

import type { JsonObject, SessionId } from '../../src/core/index.js';
import { errnoOf, isJsonObject } from '../../src/core/index.js';
import type { FileSystem } from '../disk/file-system.js';
import { FOLDER_MODE, replaceCache } from '../disk/atomic-write.js';
import { readText } from '../disk/safe-open.js';

// Invariants:
// E1 What is kept is a lower bound: it is written behind what is durable, and may be older, never newer.
// E2 It is kept beside the key and not beside the sessions, so that what brings a session back does not bring it along.
// E3 Nothing fails because of an end that cannot be kept.
// E4 A session has one end for each folder that it was written in, whichever path leads there: in another folder the
//    same session is a copy, and what was approved before counts in one of them.

/** A session's last record. */
export interface JournalEnd {
  readonly seq: number;
  readonly mac: string;
  /** Whether the session was last closed in another folder and has never been written in this one. */
  readonly isElsewhere?: true;
}

/** The last known ends of the sessions in a folder. */
export class Ends {
  readonly #world: EndsWorld;

  constructor(world: EndsWorld) {
    this.#world = world;
  }

  /**
   * Returns the recorded end of a journal in this folder. If there is none, returns the journal's recorded
   * end in another folder; `undefined` if no end is recorded.
   */
  journal(id: SessionId): JournalEnd | undefined {
    const ends = Object.entries(this.#read(id, 'journal')).flatMap(([root, end]) => {
      const { seq, mac } = isJsonObject(end) ? end : {};
      return typeof seq === 'number' && typeof mac === 'string' ? [{ root, end: { seq, mac } }] : [];
    });
    const here = this.#place();
    const own = ends.find(({ root }) => root === here)?.end;
    if (own !== undefined) return own;
    const [furthest] = ends.map(({ end }) => end).toSorted((a, b) => b.seq - a.seq);
    return furthest && { ...furthest, isElsewhere: true };
  }

  keepJournal(id: SessionId, { seq, mac }: JournalEnd): void {
    this.#keep(id, 'journal', { seq, mac });
  }

  /** Returns the number of an inbox's last record; 0 if none is recorded. */
  inbox(id: SessionId): number {
    const end = this.#read(id, 'inbox')[this.#place()];
    const { n } = isJsonObject(end) ? end : {};
    return typeof n === 'number' ? n : 0;
  }

  keepInbox(id: SessionId, n: number): void {
    this.#keep(id, 'inbox', { n });
  }

  /** Removes the recorded ends of a session that was removed or is starting over. */
  forget(id: SessionId): void {
    for (const of of ['journal', 'inbox'] as const) {
      const { [this.#place()]: _gone, ...others } = this.#read(id, of);
      if (Object.keys(others).length > 0) this.#write(id, of, others);
      else this.#remove(id, of);
    }
  }

  /** Returns the sessions folder's real path. */
  #place(): string {
    const { fs, root } = this.#world;
    try {
      return fs.realPath(root);
    } catch {
      return path.resolve(root); // it is to be made
    }
  }

  #file(id: SessionId, of: 'journal' | 'inbox'): string {
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32);
    return path.join(this.#world.folder, `${name}.${of}`);
  }

  /** Returns the recorded ends of a session, by folder. */
  #read(id: SessionId, of: 'journal' | 'inbox'): JsonObject {
    try {
      const text = readText(this.#world.fs, this.#file(id, of));
      const value: unknown = text === undefined ? undefined : JSON.parse(text);
      return isJsonObject(value) && isJsonObject(value['ends']) ? value['ends'] : {};
    } catch {
      return {}; // E1: a power cut may leave anything
    }
  }

  #keep(id: SessionId, of: 'journal' | 'inbox', end: JsonObject): void {
    this.#write(id, of, { ...this.#read(id, of), [this.#place()]: end });
  }

  #write(id: SessionId, of: 'journal' | 'inbox', ends: JsonObject): void {
    const { fs, folder, random } = this.#world;
    const pieces = [Buffer.from(`${JSON.stringify({ session: id, ends })}\n`)];
    try {
      try {
        replaceCache(fs, this.#file(id, of), pieces, random);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
        fs.makeFolder(folder, FOLDER_MODE);
        replaceCache(fs, this.#file(id, of), pieces, random);
      }
    } catch {
      // E3
    }
  }

  #remove(id: SessionId, of: 'journal' | 'inbox'): void {
    try {
      this.#world.fs.remove(this.#file(id, of));
    } catch {
      // there was none; or it stays, and the next session of that name is told of it
    }
  }
}

/** Dependencies for recording the ends of sessions. */
export interface EndsWorld {
  readonly fs: FileSystem;
  /** Folder in which the ends are recorded. Its parent folder exists. */
  readonly folder: string;
  /** The sessions folder. */
  readonly root: string;
  readonly random: (size: number) => Uint8Array;
}
