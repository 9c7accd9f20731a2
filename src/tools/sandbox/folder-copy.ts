import { constants as fs } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { HitlError } from '../../core/index.js';
import type { Folder } from '../../files/index.js';
import { isBelow, isUnchanged, withFolder } from '../../files/index.js';
import { isRepository } from '../../programs/index.js';

import { isCovered } from './covered.js';

// Invariants:
// F1 The folder itself is only read. What a command does to the copy is foreign: it is read through open folders, follows
//    no link, and is bounded before it is read.
// F2 What the copy does not have, it cannot tell: neither keys nor what is no file, folder or link is copied; an empty file
//    or folder stands in its place.
// F3 Where it cannot be told that an entry is as it was copied, it counts as changed.

/** Maximum size of a folder to copy. A larger folder is not copied, and the command needs approval. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 256 * 1024 * 1024;
/**
 * Maximum number of entries to copy from a folder of generated or installed files. A larger folder is not
 * copied; the command sees the original as read-only.
 */
const MOST_MADE = 1_000;
/**
 * Maximum number and total size of changes to copy back from one command. If there are more, none are copied
 * back.
 */
const MOST_CHANGED = 500;
const MOST_CHANGED_BYTES = 32 * 1024 * 1024;
/**
 * Maximum nesting depth of folders to compare. Depth is limited because every folder on a path is kept open.
 */
const MOST_DEPTH = 60;
/** Number of entries in a folder to copy at once. */
const AT_ONCE = 16;

/** Name prefix of the temporary folders that contain copies. */
const COPY = 'hitl-copy-';

/** Names of folders that programs fill. Such folders are usually large and not tracked by git. */
const MADE: ReadonlySet<string> = new Set(
  'node_modules bower_components .venv venv .tox .gradle .yarn target vendor dist build out .next .nuxt .cache Pods'.split(
    ' ',
  ),
);

/** How an entry was copied. With `shown`, the command sees the original, read-only. */
type Copied =
  | { readonly type: 'file'; readonly real: BigIntStats; readonly copy: BigIntStats }
  | { readonly type: 'folder' | 'shown' }
  /** Not copied. The entry is replaced with an empty one or, if `copy` is absent, omitted. */
  | { readonly type: 'left'; readonly why: string; readonly copy?: BigIntStats }
  | { readonly type: 'link'; readonly to: string };

/** A copy of a folder for a command to run in. */
export interface FolderCopy {
  /** The copied folder. */
  readonly root: string;
  readonly path: string;
  /** Absolute paths of the parts of the original folder that the command sees read-only. */
  readonly shown: readonly string[];
  readonly entries: ReadonlyMap<string, Copied>;
}

/** A file in the copy that differs from the original. Paths are relative. */
export type CopyChange =
  | {
      readonly path: string;
      readonly what: 'made' | 'changed';
      readonly bytes: Buffer;
      readonly isProgram: boolean;
      /** Status of the original file. Absent for a new file. */
      readonly before?: BigIntStats;
    }
  | { readonly path: string; readonly what: 'deleted'; readonly before: BigIntStats }
  /** Cannot come back. */
  | { readonly path: string; readonly what: 'held'; readonly why: string };

/** The changes that a command made in a copy. */
export interface CopyChanges {
  readonly changes: readonly CopyChange[];
  /** Folders that were removed, inner ones first. */
  readonly removed: readonly string[];
}

/**
 * Returns the reason that a folder cannot be copied, or `undefined` if it can. Reads only names and sizes.
 * @param isSmall whether the folder was measured to be small enough; its size is checked again when the copy
 * is made
 */
export async function whyNotCopied(
  root: string,
  isSmall: () => Promise<boolean>,
): Promise<string | undefined> {
  if (await isRepositoryAt(root))
    return 'the working directory is itself a git repository folder, such as `.git`';
  if (isBelow(await realpath(tmpdir()), root))
    return 'the working directory contains the folder for temporary files';
  return (await isSmall())
    ? undefined
    : `the working directory has more than ${MOST_ENTRIES} files or ${MOST_BYTES >> 20} MB`;
}

/** Measures a folder, and returns whether it is small enough to be copied. */
export async function isSmallEnough(root: string): Promise<boolean> {
  return (await measure(root, { entries: MOST_ENTRIES, bytes: MOST_BYTES })) !== undefined;
}

interface Size {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Counts the entries to copy and adds up the sizes of the files. Returns `undefined` if they exceed the
 * limit.
 */
async function measure(root: string, most: Size): Promise<Size | undefined> {
  let entries = 0;
  let bytes = 0;
  const waiting = [root];
  for (const folder of waiting) {
    const found = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []); // gone, or not ours to list
    entries += found.length;
    if (entries > most.entries) return undefined;
    const files: string[] = [];
    for (const entry of found) {
      const file = path.join(folder, entry.name);
      if (entry.isFile()) files.push(file);
      else if (entry.isDirectory() && !(await isShown(file))) waiting.push(file);
    }
    const sizes = await Promise.all(
      files.map((file) =>
        lstat(file).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    for (const size of sizes) bytes += size;
    if (bytes > most.bytes) return undefined;
  }
  return { entries, bytes };
}

/**
 * Whether the command sees the original folder, read-only, instead of a copy, because it is a repository or a
 * large folder that programs fill.
 */
async function isShown(folder: string): Promise<boolean> {
  const name = path.basename(folder);
  if (name.toLowerCase() === '.git' || (await isRepositoryAt(folder))) return true;
  return (
    MADE.has(name) && (await measure(folder, { entries: MOST_MADE, bytes: MOST_BYTES / 8 })) === undefined
  );
}

/** Whether a folder is a git repository, whatever its name is. Git trusts what it finds in any repository. */
async function isRepositoryAt(folder: string): Promise<boolean> {
  return isRepository(new Set(await readdir(folder).catch(() => []))); // gone, or not ours to list
}

/**
 * Copies a folder to a temporary location.
 * @param own hitl's own folders, which are not copied.
 * @throws HitlError TOOL_FAILED if the folder is too large; the abort reason of the signal.
 */
export async function copyFolder(
  root: string,
  own: readonly string[],
  signal: AbortSignal,
): Promise<FolderCopy> {
  await removeOldCopies();
  const copy = await mkdtemp(path.join(tmpdir(), COPY));
  try {
    const copying = new Copying({ root, copy, own, signal });
    await withFolder(root, async (folder) => copying.folder(folder, ''));
    return { root, path: copy, shown: copying.shown, entries: copying.entries };
  } catch (error) {
    await removeCopy({ path: copy });
    throw error;
  }
}

/** Removes a copy, even if the command has removed permissions in it. */
export async function removeCopy({ path: copy }: Pick<FolderCopy, 'path'>): Promise<void> {
  try {
    await rm(copy, { recursive: true, force: true });
  } catch {
    await open(copy);
    await rm(copy, { recursive: true, force: true }).catch(() => undefined); // a temporary folder, which is ours alone
  }
}

/**
 * Age, in milliseconds, after which a copy is considered abandoned. No command runs that long, so the process
 * that created the copy must have been killed.
 */
const OLD_MS = 60 * 60 * 1000;

/** Removes this user's copies that killed processes left behind. */
async function removeOldCopies(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(COPY))) {
    const copy = path.join(tmpdir(), name);
    const found = await lstat(copy).catch(() => undefined); // gone
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (Date.now() - found.ctimeMs > OLD_MS) await removeCopy({ path: copy });
  }
}

/** Restores folder permissions that a command removed. */
async function open(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries) if (entry.isDirectory()) await open(path.join(folder, entry.name));
}

interface Given {
  readonly root: string;
  readonly copy: string;
  readonly own: readonly string[];
  readonly signal: AbortSignal;
}

class Copying {
  readonly entries = new Map<string, Copied>();
  readonly shown: string[] = [];
  readonly #given: Given;
  #bytes = 0;

  constructor(given: Given) {
    this.#given = given;
  }

  async folder(folder: Folder, at: string): Promise<void> {
    const entries = await folder.entries();
    for (let start = 0; start < entries.length; start += AT_ONCE) {
      this.#given.signal.throwIfAborted();
      await Promise.all(entries.slice(start, start + AT_ONCE).map((entry) => this.#entry(folder, at, entry)));
    }
  }

  async #entry(folder: Folder, at: string, entry: Dirent): Promise<void> {
    const name = path.join(at, entry.name);
    const real = path.join(this.#given.root, name);
    const target = path.join(this.#given.copy, name);
    if (this.entries.size >= MOST_ENTRIES) throw tooLarge();
    if (entry.isSymbolicLink()) {
      const to = await readlink(real).catch(() => undefined); // gone
      if (to === undefined) return;
      this.entries.set(name, { type: 'link', to });
      return symlink(to, target);
    }
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) {
      this.entries.set(name, { type: 'left', why: 'it was not a regular file' });
      return;
    }
    const isOwn = this.#given.own.some((one) => isBelow(real, one));
    if (isOwn || (await isCovered(this.#given.root, real, true))) {
      const why = isOwn
        ? 'hitl keeps its own files there'
        : 'it may contain keys, so an empty one was used instead';
      return this.#leave(name, target, { isFolder, why });
    }
    if (!isFolder) return this.#file(folder, entry.name, name, target);
    await mkdir(target);
    if (await isShown(real)) {
      this.entries.set(name, { type: 'shown' });
      this.shown.push(real);
      return;
    }
    const inner = await folder.folder(entry.name).catch(() => undefined); // gone, or not ours to enter
    if (inner === undefined) {
      this.entries.set(name, { type: 'left', why: UNREAD, copy: await lstat(target, { bigint: true }) });
      return;
    }
    try {
      this.entries.set(name, { type: 'folder' });
      await this.folder(inner, name);
    } finally {
      await inner.close();
    }
  }

  async #leave(
    name: string,
    target: string,
    { isFolder, why }: { readonly isFolder: boolean; readonly why: string },
  ): Promise<void> {
    if (isFolder) await mkdir(target);
    else await writeFile(target, '');
    this.entries.set(name, { type: 'left', why, copy: await lstat(target, { bigint: true }) });
  }

  async #file(folder: Folder, entry: string, name: string, target: string): Promise<void> {
    const handle = await folder.open(entry, fs.O_RDONLY).catch(() => undefined); // gone, or not ours to read
    if (handle === undefined) return this.#leave(name, target, { isFolder: false, why: UNREAD });
    try {
      const real = await handle.stat({ bigint: true });
      this.#bytes += Number(real.size);
      if (this.#bytes > MOST_BYTES) throw tooLarge();
      await copyFile(`/proc/self/fd/${handle.fd}`, target, fs.COPYFILE_FICLONE);
      await chmod(target, Number(real.mode) & 0o777);
      await utimes(target, Number(real.atimeMs) / 1000, Number(real.mtimeMs) / 1000); // builds compare them
      this.entries.set(name, { type: 'file', real, copy: await lstat(target, { bigint: true }) });
    } finally {
      await handle.close();
    }
  }
}

const UNREAD = 'it could not be read, so an empty one was used instead';

function tooLarge(): HitlError {
  return new HitlError(
    'TOOL_FAILED',
    'the working directory is too large to copy; call the tool again with `ask: true` to ask the user',
  );
}

/**
 * Returns the changes that a command made in a copy, with the contents of new and changed files.
 * @throws HitlError TOOL_FAILED if there are too many changes.
 */
export async function changesIn(copy: FolderCopy): Promise<CopyChanges> {
  const comparing = new Comparing(copy.entries);
  await withFolder(copy.path, async (folder) => comparing.folder(folder, '', MOST_DEPTH));
  return comparing.end();
}

class Comparing {
  readonly #entries: FolderCopy['entries'];
  readonly #seen = new Set<string>();
  readonly #changes: CopyChange[] = [];
  #bytes = 0;
  #count = 0;

  constructor(entries: FolderCopy['entries']) {
    this.#entries = entries;
  }

  async folder(folder: Folder, at: string, depth: number): Promise<void> {
    const entries = await folder.entries();
    this.#count += entries.length;
    if (this.#count > 2 * MOST_ENTRIES)
      throw tooMuch(`its folder now has more than ${2 * MOST_ENTRIES} files`);
    for (const { name } of entries) await this.#entry(folder, name, path.join(at, name), depth);
  }

  async #entry(folder: Folder, entry: string, name: string, depth: number): Promise<void> {
    const was = this.#entries.get(name);
    this.#seen.add(name);
    const now = await folder.look(entry).catch(() => undefined);
    const isSameLink =
      was?.type === 'link' &&
      now?.isSymbolicLink() === true &&
      (await readlink(path.join(folder.path, entry)).catch(() => undefined)) === was.to;
    if (now === undefined || was?.type === 'shown' || isSameLink) {
      if (now === undefined) this.#hold(name, 'it cannot be read, or its name is not UTF-8');
      return;
    }
    const why = whyHeld(was, now);
    if (why !== undefined) this.#hold(name, why);
    else if (now.isDirectory()) await this.#inner(folder, entry, name, depth);
    else if (!isAsCopied(was, now)) await this.#file(folder, entry, name, { was, now });
  }

  async #inner(folder: Folder, entry: string, name: string, depth: number): Promise<void> {
    const inner = depth === 0 ? undefined : await folder.folder(entry).catch(() => undefined);
    if (inner === undefined) {
      this.#hold(name, depth === 0 ? 'it is nested too deeply' : 'it cannot be read');
      return;
    }
    try {
      await this.folder(inner, name, depth - 1);
    } catch (error) {
      if (error instanceof HitlError) throw error;
      this.#hold(name, 'it cannot be read');
    } finally {
      await inner.close();
    }
  }

  async #file(
    folder: Folder,
    entry: string,
    name: string,
    { was, now }: { readonly was: Copied | undefined; readonly now: BigIntStats },
  ): Promise<void> {
    this.#bytes += Number(now.size);
    if (this.#bytes > MOST_CHANGED_BYTES) throw tooMuch(`more than ${MOST_CHANGED_BYTES >> 20} MB`);
    const bytes = await contentOf(folder, entry, Number(now.size));
    if (bytes === undefined) {
      this.#hold(name, 'it cannot be read, or it was changed after the command ran');
      return;
    }
    const isProgram = (Number(now.mode) & 0o111) !== 0;
    this.#add(
      was?.type === 'file'
        ? { path: name, what: 'changed', bytes, isProgram, before: was.real }
        : { path: name, what: 'made', bytes, isProgram },
    );
  }

  #delete(name: string, before: BigIntStats): void {
    this.#add({ path: name, what: 'deleted', before });
  }

  #hold(name: string, why: string): void {
    this.#add({ path: name, what: 'held', why });
  }

  #add(change: CopyChange): void {
    this.#changes.push(change);
    if (this.#changes.length > MOST_CHANGED) throw tooMuch(`more than ${MOST_CHANGED} files`);
  }

  end(): CopyChanges {
    const removed: string[] = [];
    for (const [name, was] of this.#entries) {
      if (this.#seen.has(name)) continue;
      if (was.type === 'file') this.#delete(name, was.real);
      else if (was.type === 'folder') removed.push(name);
      else if (was.type === 'link') this.#hold(name, 'it was a link');
      else if (was.type === 'left' && was.copy !== undefined) this.#hold(name, was.why);
    }
    const changes = this.#changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    return { changes, removed: removed.toSorted((one, other) => other.length - one.length) };
  }
}

/**
 * Returns the content of a file that a process may still be writing to, or `undefined` if the file has
 * changed since it was checked.
 */
async function contentOf(folder: Folder, entry: string, size: number): Promise<Buffer | undefined> {
  const handle = await folder.open(entry, fs.O_RDONLY).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const bytes = Buffer.alloc(size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > size) break;
    }
    return length === size ? bytes.subarray(0, size) : undefined;
  } finally {
    await handle.close();
  }
}

/**
 * Returns the reason that an entry cannot be copied back, whatever its content is. Returns `undefined` if it
 * can be copied back or is unchanged.
 */
function whyHeld(was: Copied | undefined, now: BigIntStats): string | undefined {
  if (was?.type === 'left' && !(now.isDirectory() && was.copy?.isDirectory() !== false))
    return isUnchanged(was.copy, now) ? undefined : was.why;
  if (now.isSymbolicLink()) return 'it is a link';
  if (!now.isDirectory() && !now.isFile()) return 'it is not a file, folder or link';
  if (was?.type === 'link' || (was?.type === 'file' && now.isDirectory())) return `it was a ${was.type}`;
  return was?.type === 'folder' && now.isFile() ? 'it was a folder' : undefined;
}

/**
 * Whether an entry is unchanged since it was copied (F3). The comparison is reliable because commands cannot
 * set the change time of a file. An empty entry that replaces a key file is treated as unchanged. If it was
 * modified, `whyHeld` returns the reason that it is not copied back.
 */
function isAsCopied(was: Copied | undefined, now: BigIntStats): boolean {
  return was?.type === 'file' ? isUnchanged(was.copy, now) : was?.type === 'left';
}

function tooMuch(what: string): HitlError {
  return new HitlError('TOOL_FAILED', `the command changed too much to copy back: ${what}`);
}
