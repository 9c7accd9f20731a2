// Invariants:
// U1 What a program loads from a folder unseen is trusted as it was when nothing had run there since: each tool that may
//    change a folder leaves a mark of its own before it runs, and another when it has ended (ADR 55). While one runs the
//    folder has no mark that could be trusted: what it writes next was seen by nobody. One that died left its mark behind.
// U2 A mark that cannot be read is one that nobody has seen, and a tool that can leave none does not run.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isOwnerAlive, ownerHere, parseOwner, systemProcesses } from '../../sessions/lock-owner.js';
import { digestOf, errnoOf, HitlError, isoTime, membersOf, messageOf, sha256 } from '../../src/core/index.js';
import type { FileContent } from '../../src/files/index.js';
import { isBelow, realFolder } from '../../src/files/index.js';
import type { Followed, Unseen } from '../../src/programs/index.js';
import { guardedFolder } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';
import type { TrustedFiles, TrustPlace } from './trust-store.js';
import { readTrust } from './trust-store.js';

/**
 * The files and folders that must be trusted before a program starts, in the form in which trust is stored.
 */
export interface Looked {
  /** The files that the program loads, with their current content. */
  readonly files: readonly FileContent[];
  /**
   * A folder from which the program loads files that are not reviewed. After a tool has run in that folder,
   * the program no longer starts.
   */
  readonly unseen?: Unseen;
  /** Everything that must be trusted: the files, and the current state of unreviewed folders. */
  readonly trusted: readonly FileContent[];
  /** Descriptions of the unreviewed parts, to show in the question. */
  readonly lines: readonly string[];
}

/** Prefix of trust entries for folders. All other entries are paths or start with a flag. */
const UNSEEN = 'files of ';

/**
 * Returns the parts of a program that must be trusted. `what` describes the program within a sentence, for
 * example `the server \`x\``.
 */
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
      `${what}: ${why}, so the files it loads from ${folder} are not reviewed; you are asked again after a tool has run in that folder`,
    ],
  };
}

/** Creates the trust entry for the unreviewed files that a program loads. */
export function unseenContent(what: string, { folder, mark }: Pick<Unseen, 'folder' | 'mark'>): FileContent {
  return { path: `${UNSEEN}${folder} that ${what} loads`, sha256: digestOf([mark]) };
}

/** Whether a trust entry represents unreviewed files. */
export function isUnseen(entry: string): boolean {
  return entry.startsWith(UNSEEN);
}

/** Runs work that may change the session's folder, and writes a mark before and after it (U1). */
export async function marking<T>(io: MarkPlace, isNeeded: boolean, run: () => Promise<T>): Promise<T> {
  const running = await inTurn(io, () => begin(io, isNeeded));
  try {
    return await run();
  } finally {
    await inTurn(io, () => end(io, isNeeded, running));
  }
}

type MarkPlace = Pick<Io, 'cwd' | 'env' | 'home'>;

/**
 * Tools that start at the same time are marked one after another, so that they always start in the same order
 * and their questions get the same ids.
 */
const turns = new WeakMap<MarkPlace, Promise<unknown>>();

async function inTurn<T>(io: MarkPlace, work: () => Promise<T>): Promise<T> {
  const before = turns.get(io) ?? Promise.resolve();
  const mine = before.then(work);
  turns.set(
    io,
    mine.catch(() => undefined),
  );
  return await mine;
}

/**
 * Records that a tool is running.
 * @returns the mark's file; `undefined` if it cannot be written and nothing depends on it
 */
async function begin(io: MarkPlace, isNeeded: boolean): Promise<string | undefined> {
  const depends = isNeeded || hasUnseen(await readTrust(io));
  const folder = markedFolder(io);
  const running = join(marksFolder(io), `${nameOf(folder)}.${randomUUID()}${RUNNING}`);
  try {
    mkdirSync(marksFolder(io), { recursive: true, mode: 0o700 });
    const owner = ownerHere(systemProcesses(hostname()), isoTime(Date.now()));
    writeFileSync(running, `${JSON.stringify({ folder, owner })}\n`, { mode: 0o600 });
  } catch (cause) {
    if (depends) throw unmarked(running, cause);
    return undefined;
  }
  const died = takeAwayDead(io, folder);
  if (depends || died) writeMark(io, folder);
  return running;
}

async function end(io: MarkPlace, isNeeded: boolean, running: string | undefined): Promise<void> {
  if (isNeeded || hasUnseen(await readTrust(io))) writeMark(io, markedFolder(io));
  if (running !== undefined) rmSync(running, { force: true });
}

function writeMark(io: TrustPlace, folder: string): void {
  const file = join(marksFolder(io), `${nameOf(folder)}.json`);
  try {
    mkdirSync(marksFolder(io), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ folder, mark: randomUUID() })}\n`, { mode: 0o600 });
  } catch (cause) {
    throw unmarked(file, cause);
  }
}

function unmarked(file: string, cause: unknown): HitlError {
  return new HitlError(
    'TOOL_FAILED',
    `the tool did not run: could not write \`${file}\`: ${messageOf(cause)}`,
    {
      hint: 'a trusted program loads files from this folder; without that file, hitl could not ask about the program again',
      cause,
    },
  );
}

/** Removes the marks of tools whose process has died. @returns true if there were any */
function takeAwayDead(io: TrustPlace, folder: string): boolean {
  const dead = marksIn(io)
    .filter((name) => name.startsWith(`${nameOf(folder)}.`) && name.endsWith(RUNNING))
    .map((name) => join(marksFolder(io), name))
    .filter((file) => !isRunning(file, textOf(file)));
  for (const file of dead) rmSync(file, { force: true });
  return dead.length > 0;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it is gone by now
  }
}

function markedFolder(io: MarkPlace): string {
  return guardedFolder(io) ?? realFolder(io.cwd);
}

function nameOf(folder: string): string {
  return sha256(folder).slice(0, 32);
}

/** Extension of a file that exists while a tool runs. */
const RUNNING = '.running';

/**
 * Whether the tool that a mark belongs to is still running. It can be running only if its process is alive. A
 * process on another machine is treated as ended.
 */
function isRunning(file: string, text: string): boolean {
  if (!file.endsWith(RUNNING)) return false;
  try {
    const owner = parseOwner(JSON.stringify(membersOf(JSON.parse(text))['owner']));
    return owner !== undefined && isOwnerAlive(owner, systemProcesses(hostname())) === true;
  } catch {
    return true; // it is being written
  }
}

function hasUnseen(trusted: TrustedFiles): boolean {
  return Object.keys(trusted).some(isUnseen);
}

/**
 * Returns a digest of the marks for a folder, its parents and its subfolders. While a tool is running in one
 * of them, each call returns a different value.
 */
function marksOf(io: TrustPlace, folder: string): string {
  try {
    const marks = marksIn(io)
      .map((name) => ({ name, text: readFileSync(join(marksFolder(io), name), 'utf8') }))
      .filter(({ text }) => concerns(text, folder));
    if (marks.some(({ name, text }) => isRunning(name, text))) return randomUUID();
    return digestOf(marks.map(({ text }) => text));
  } catch {
    return randomUUID(); // U2; also one that goes at this moment
  }
}

/** Lists all marks. Returns an empty list if their folder does not exist. Throws Node.js errors. */
function marksIn(io: TrustPlace): readonly string[] {
  try {
    return readdirSync(marksFolder(io)).sort();
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/**
 * Whether a mark applies to a folder. A mark that cannot be read, for example because it is being written,
 * applies to every folder (U2).
 */
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
