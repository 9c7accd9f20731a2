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
  const running = await inTurn(io, () => begin(io, isNeeded));
  try {
    return await run();
  } finally {
    await inTurn(io, () => end(io, isNeeded, running));
  }
}

type MarkPlace = Pick<Io, 'cwd' | 'env' | 'home'>;

/** Tools that were begun together are marked in that order, and so begin in it: their questions have the same ids. */
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

/** Notes that a tool runs. @returns the file that says so; none where it cannot be written and nothing depends on it */
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
    `it did not run: \`${file}\` could not be written: ${messageOf(cause)}`,
    {
      hint: 'a program that is trusted here loads files of this folder, and is not asked about again without it',
      cause,
    },
  );
}

/** Takes away what says that tools run in a folder whose process died. @returns true where there was one */
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

/** The end of the name of a file that is there while a tool runs. */
const RUNNING = '.running';

/** True for what says that a tool runs, while its process lives. That of another machine is one of a tool that has ended. */
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

/** Names what has run in a folder, in one above it and below it; nothing is named twice while a tool runs there. */
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

/** The names of all marks; none where there is no folder of them. Throws Node's errors. */
function marksIn(io: TrustPlace): readonly string[] {
  try {
    return readdirSync(marksFolder(io)).sort();
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
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
