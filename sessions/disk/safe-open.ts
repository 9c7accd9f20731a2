import { errnoOf, HitlError } from '../../src/core/index.js';
import { FILE_MODE, FOLDER_MODE } from './atomic-write.js';
import type { FileFacts, FileSystem } from './file-system.js';
import { OPEN } from './file-system.js';

const SMALL_FILE = 1 << 16;

const OTHERS_MAY_WRITE = 0o022;

function unsafe(path: string, why: string, hint = 'left untouched; check who created it'): HitlError {
  return new HitlError('SESSION_UNSAFE', `\`${path}\` ${why}`, { hint });
}

/**
 * Rejects a file or folder that another user could have created or could change (G32). @throws HitlError
 * SESSION_UNSAFE
 */
export function checkFacts(path: string, facts: FileFacts, kind: 'file' | 'folder'): void {
  if (facts.kind === 'link') throw unsafe(path, 'is a symbolic link');
  if (facts.kind !== kind) throw unsafe(path, `is not a ${kind}`);
  const user = process.geteuid?.();
  if (user !== undefined && facts.uid !== user)
    throw unsafe(path, `belongs to user ${facts.uid}, not to you`);
}

/**
 * Rejects a sessions folder that another user owns or can write to, because that user could add or remove
 * sessions (G32). A link to a folder of the user's own is allowed. So is a missing folder.
 * @throws HitlError SESSION_UNSAFE
 */
export function checkRoot(fs: FileSystem, root: string): void {
  const facts = fs.lookUp(`${root}/.`); // of what a link leads to
  if (facts === undefined) return;
  const user = process.geteuid?.();
  if (user !== undefined && facts.uid !== user) {
    const why = `belongs to user ${facts.uid}, not to you`;
    throw unsafe(root, why, 'choose a folder of your own: --sessions <folder>');
  }
  if ((facts.mode & OTHERS_MAY_WRITE) === 0) return;
  const why = `is writable by other users (mode ${facts.mode.toString(8)})`;
  throw unsafe(root, why, `check its contents, then run: chmod go-w ${root}`);
}

/** Whether these permissions allow other users any access. */
export function isLoose(mode: number): boolean {
  return (mode & 0o077) !== 0;
}

function tighten(fs: FileSystem, path: string, facts: FileFacts, mode: number): string | undefined {
  if (!isLoose(facts.mode)) return undefined;
  const from = facts.mode.toString(8);
  try {
    fs.changeMode(path, mode);
  } catch {
    return `\`${path}\` is readable by other users (mode ${from}), and its mode could not be changed`;
  }
  return `\`${path}\` was readable by other users: mode changed from ${from} to ${mode.toString(8)}`;
}

/**
 * Checks a session's folder and removes all permissions of other users.
 * @param notices receives a line if the permissions were changed.
 * @returns false if the folder does not exist.
 * @throws HitlError SESSION_UNSAFE
 */
export function checkFolder(fs: FileSystem, path: string, notices: string[]): boolean {
  const facts = fs.lookUp(path);
  if (facts === undefined) return false;
  checkFacts(path, facts, 'folder');
  const notice = tighten(fs, path, facts, FOLDER_MODE);
  if (notice !== undefined) notices.push(notice);
  return true;
}

/**
 * Opens a session's file without following links or blocking on a pipe, and removes all permissions of other
 * users.
 * @param notices receives a line if the permissions were changed.
 * @throws HitlError SESSION_UNSAFE; Node.js errors otherwise.
 */
export function openSafely(fs: FileSystem, path: string, flags: number, notices: string[]): number {
  let fd: number;
  try {
    fd = fs.open(path, flags, FILE_MODE);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ELOOP') throw unsafe(path, 'is a symbolic link');
    if (errno === 'ENXIO' || errno === 'EISDIR') throw unsafe(path, 'is not a file');
    throw error;
  }
  try {
    const facts = fs.factsOf(fd);
    checkFacts(path, facts, 'file');
    const notice = tighten(fs, path, facts, FILE_MODE);
    if (notice !== undefined) notices.push(notice);
    return fd;
  } catch (error) {
    fs.close(fd);
    throw error;
  }
}

/** Reads a small file; `undefined` if it cannot be read. */
export function readText(fs: FileSystem, path: string): string | undefined {
  let fd: number;
  try {
    fd = openSafely(fs, path, OPEN.read, []);
  } catch {
    return undefined; // for information only: absent is as good as unreadable
  }
  try {
    const bytes = Buffer.alloc(SMALL_FILE);
    return bytes.toString('utf8', 0, fs.read(fd, bytes, 0));
  } catch {
    return undefined;
  } finally {
    fs.close(fd);
  }
}
