// Invariants:
// U1 What a program loads from a folder unseen is trusted as it was when nothing had run there since: each tool that may
//    change a folder leaves a mark of its own before it runs, and another when it has ended (ADR 55).
// U2 A mark that cannot be read is one that nobody has seen, and a tool that can leave none does not run.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, errnoOf, HitlError, membersOf, messageOf, sha256 } from '../../src/core/index.js';
import type { FileContent } from '../../src/files/index.js';
import { isBelow, realFolder } from '../../src/files/index.js';
import type { Followed, Unseen } from '../../src/programs/index.js';
import { guardedFolder } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';
import type { TrustedFiles, TrustPlace } from './trust-store.js';
import { readTrust } from './trust-store.js';

/** What was looked at of a program, as trust is kept in it. */
export interface Looked {
  /** The files that it loads, as they are. */
  readonly files: readonly FileContent[];
  /** What it loads unseen; the program is not started once something has run there. */
  readonly unseen?: Unseen;
  /** All that has to be trusted: the files, and of what is unseen the folder as it is now. */
  readonly trusted: readonly FileContent[];
  /** Says what is not looked at, for the question. */
  readonly lines: readonly string[];
}

/** Stands before a folder in the list of what is trusted; every other entry is a path, or begins with a flag. */
const UNSEEN = 'files of ';

/** What has to be trusted of a program that is named in a sentence: `the server \`x\``. */
export function lookedAt(io: TrustPlace, what: string, { files, unseen }: Followed): Looked {
  if (unseen === undefined) return { files, trusted: files, lines: [] };
  const { why } = unseen;
  const folder = realFolder(unseen.folder);
  const now = (): string => marksOf(io, folder);
  const mark = now();
  return {
    files,
    unseen: { folder, why, mark, now },
    trusted: [...files, unseenContent(what, { folder, mark })],
    lines: [
      `${what}: ${why}, so what it loads from ${folder} is not looked at; once a tool has run there you are asked again`,
    ],
  };
}

/** The entry that stands for what a program loads unseen. */
export function unseenContent(what: string, { folder, mark }: Pick<Unseen, 'folder' | 'mark'>): FileContent {
  return { path: `${UNSEEN}${folder} that ${what} loads`, sha256: digestOf([mark]) };
}

/** True for an entry of what is trusted that stands for files which nobody looked at. */
export function isUnseen(entry: string): boolean {
  return entry.startsWith(UNSEEN);
}

/** Runs what may change the folder that the session works on, with a mark before it and after it (U1). */
export async function marking<T>(io: MarkPlace, isNeeded: boolean, run: () => Promise<T>): Promise<T> {
  await leaveMark(io, isNeeded);
  try {
    return await run();
  } finally {
    await leaveMark(io, isNeeded);
  }
}

type MarkPlace = Pick<Io, 'cwd' | 'env' | 'home'>;

/** Tools that were begun together are marked in that order, and so begin in it: their questions have the same ids. */
const turns = new WeakMap<MarkPlace, Promise<void>>();

async function leaveMark(io: MarkPlace, isNeeded: boolean): Promise<void> {
  const before = turns.get(io) ?? Promise.resolve();
  const mine = before.then(() => writeMark(io, isNeeded));
  turns.set(
    io,
    mine.catch(() => undefined),
  );
  await mine;
}

/** Most people trust nothing unseen: they have no marks. */
async function writeMark(io: MarkPlace, isNeeded: boolean): Promise<void> {
  if (!isNeeded && !hasUnseen(await readTrust(io))) return;
  const folder = guardedFolder(io) ?? realFolder(io.cwd);
  const file = join(marksFolder(io), `${sha256(folder).slice(0, 32)}.json`);
  try {
    mkdirSync(marksFolder(io), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ folder, mark: randomUUID() })}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new HitlError(
      'TOOL_FAILED',
      `it did not run: \`${file}\` could not be written: ${messageOf(cause)}`,
      {
        hint: 'a program that is trusted here loads files of this folder, and is not asked about again without it',
        cause,
      },
    );
  }
}

function hasUnseen(trusted: TrustedFiles): boolean {
  return Object.keys(trusted).some(isUnseen);
}

/** Names what has run in a folder, in one above it and below it. */
function marksOf(io: TrustPlace, folder: string): string {
  try {
    const texts = readdirSync(marksFolder(io))
      .sort()
      .map((name) => readFileSync(join(marksFolder(io), name), 'utf8'))
      .filter((text) => concerns(text, folder));
    return digestOf(texts);
  } catch (thrown) {
    return errnoOf(thrown) === 'ENOENT' ? digestOf([]) : randomUUID(); // U2
  }
}

/** A mark that cannot be read, as one that is being written, concerns everything (U2). */
function concerns(text: string, folder: string): boolean {
  try {
    const marked = membersOf(JSON.parse(text))['folder'];
    return typeof marked !== 'string' || isBelow(marked, folder) || isBelow(folder, marked);
  } catch {
    return true;
  }
}

function marksFolder(io: TrustPlace): string {
  return join(stateFolder(io), 'marks');
}
