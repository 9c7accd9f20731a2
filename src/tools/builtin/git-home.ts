import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

import type { CopyChange } from '../sandbox/folder-copy.js';

// Invariants:
// V1 What git does in a copy comes back as a whole, after everything else of the command did, or not at all.
// V2 Only objects, references, the index, logs and messages come back. An object is what its name says, a reference names
//    one commit or one other reference, and an index has no path that git itself would refuse.
// V3 Neither a new commit nor the index has another content for a file that is asked about: checking it out later would
//    write what did not come back now.

const inflated = promisify(inflate);

/** Larger objects do not come back, in bytes. */
const MOST_INFLATED = 32 * 1024 * 1024;
/** New commits of one command whose files are looked at. */
const MOST_COMMITS = 100;

/** Changes of a repository, sorted. */
export interface GitChanges {
  /** New objects; they are part of nothing until a reference names them. */
  readonly objects: readonly Moving[];
  /** References, the index last. */
  readonly others: readonly Moving[];
  /** New commits. */
  readonly commits: readonly string[];
  readonly index: Buffer | undefined;
}

type Moving = Exclude<CopyChange, { readonly what: 'held' }>;

/** Whether a change is part of what git does, and not of a file of the folder. */
export function isOfGit({ path: name }: CopyChange): boolean {
  return name.startsWith('.git/');
}

const OBJECT = /^\.git\/objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/u;
const REFERENCE =
  /^\.git\/(?:HEAD|ORIG_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|BISECT_HEAD|refs\/(?:heads|tags|bisect)\/.+|refs\/stash)$/u;
const OTHER =
  /^\.git\/(?:index|packed-refs|logs\/.+|COMMIT_EDITMSG|MERGE_(?:MSG|MODE)|SQUASH_MSG|AUTO_MERGE|BISECT_(?:ANCESTORS_OK|EXPECTED_REV|LOG|NAMES|START|TERMS|FIRST_PARENT))$/u;

/** Sorts what git changed in a copy (V2); says why it does not come back. */
export async function sortGit(changes: readonly CopyChange[]): Promise<GitChanges | string> {
  const objects: Moving[] = [];
  const others: Moving[] = [];
  const commits: string[] = [];
  for (const change of changes) {
    const { path: name } = change;
    if (change.what === 'held') return `${name}: ${change.why}`;
    const [, start, rest] = OBJECT.exec(name) ?? [];
    if (start !== undefined && rest !== undefined) {
      const kind = change.what === 'made' ? await kindOf(change.bytes, start + rest) : undefined;
      if (kind === undefined) return `${name}: it is not the object that its name says`;
      if (kind === 'commit') commits.push(start + rest);
      objects.push(change);
      continue;
    }
    const problem = problemOf(change);
    if (problem !== undefined) return `${name}: ${problem}`;
    others.push(change);
  }
  if (commits.length > MOST_COMMITS) return `it made more than ${MOST_COMMITS} commits`;
  const index = others.find(({ path: name }) => name === '.git/index');
  const inOrder = [...others.filter((one) => one !== index), ...(index === undefined ? [] : [index])];
  if (index?.what === 'deleted') return 'it deleted the index';
  return { objects, others: inOrder, commits, index: index?.bytes };
}

/** Says why a file of a repository does not come back. */
function problemOf(change: Moving): string | undefined {
  const { path: name } = change;
  if (/(?:^|\/)\.|\.lock$|[\s~^:?*[\\]/u.test(name.slice('.git/'.length)))
    return 'it is no name that git gives';
  if (OTHER.test(name)) return undefined;
  if (!REFERENCE.test(name)) return 'git obeys it, or nothing that was looked for changes it';
  if (change.what === 'deleted') return name === '.git/HEAD' ? 'no repository is without it' : undefined;
  return /^(?:[0-9a-f]{40}|ref: refs\/heads\/[^\s~^:?*[\\]+)\n$/u.test(change.bytes.toString('latin1'))
    ? undefined
    : 'it names no commit';
}

/** The kind of a loose object; `undefined` if it is none, or another one than its name says. */
async function kindOf(bytes: Buffer, name: string): Promise<string | undefined> {
  const whole = await inflated(bytes, { maxOutputLength: MOST_INFLATED }).catch(() => undefined);
  if (whole === undefined || createHash('sha1').update(whole).digest('hex') !== name) return undefined;
  const end = whole.indexOf(0);
  const [, kind, size] =
    /^(blob|tree|commit|tag) (\d+)$/u.exec(whole.subarray(0, Math.max(end, 0)).toString('latin1')) ?? [];
  return Number(size) === whole.length - end - 1 ? kind : undefined;
}

/** A file of an index: what it is, without what git only keeps to be quick. */
type Index = ReadonlyMap<string, string>;

/**
 * Reads an index (versions 2 to 4 with SHA-1); `undefined` if it is none, or has what hides changes or leads elsewhere:
 * paths that git refuses, submodules, files that are not looked at.
 * Source: https://git-scm.com/docs/index-format.
 */
export function readIndex(bytes: Buffer): Index | undefined {
  if (bytes.length < 32 || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4 || count > 1_000_000) return undefined;
  const end = bytes.length - 20;
  const files = new Map<string, string>();
  let at = 12;
  let before = '';
  for (let number = 0; number < count; number += 1) {
    if (at + 62 > end) return undefined;
    const mode = bytes.readUInt32BE(at + 24);
    const id = bytes.toString('hex', at + 40, at + 60);
    const flags = bytes.readUInt16BE(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const more = isExtended ? bytes.readUInt16BE(at + 62) : 0;
    let start = at + (isExtended ? 64 : 62);
    let kept = '';
    if (version === 4) {
      const cut = offsetAt(bytes, start);
      if (cut.value > before.length) return undefined;
      kept = before.slice(0, before.length - cut.value);
      start = cut.end;
    }
    const nul = bytes.indexOf(0, start);
    if (nul === -1 || nul > end) return undefined;
    const name = kept + bytes.toString('latin1', start, nul);
    // Assumed unchanged, or not checked out: its changes would not be seen.
    if ((flags & 0x8000) !== 0 || (more & 0x4000) !== 0) return undefined;
    if (![0o100644, 0o100755, 0o120000].includes(mode) || !isPlainPath(name)) return undefined;
    files.set(
      `${Buffer.from(name, 'latin1').toString()}\0${(flags >> 12) & 3}`,
      `${mode.toString(8)} ${id} ${more & 0x2000}`,
    );
    before = name;
    at = version === 4 ? nul + 1 : at + ((nul - at + 8) & ~7);
  }
  return hasOnlyQuick(bytes, at, end) ? files : undefined;
}

/** An index may be split, or leave out folders, by an extension. */
function hasOnlyQuick(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end;) {
    if (at + 8 > end) return false;
    if (!/^[A-Z]/u.test(bytes.toString('latin1', at, at + 1))) return false; // git must understand what begins with a small letter
    at += 8 + bytes.readUInt32BE(at + 4);
    if (at > end) return false;
  }
  return true;
}

/** A number of a pack: seven bits a byte, each further one counts one more. */
function offsetAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < start + 4) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at + 1 };
}

/** Git refuses the others, but not where it reads them from an index. */
function isPlainPath(name: string): boolean {
  const seen = Buffer.from(name, 'latin1')
    .toString()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return seen
    .split('/')
    .every((part) => !/^(?:\.{0,2}|\.git[. ]*|git~\d+[. ]*)$/iu.test(part) && !/[\\:]/u.test(part));
}

/** Paths whose content an index has otherwise than another one. */
export function differences(one: Index, other: Index): readonly string[] {
  const keys = [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => one.get(key) !== other.get(key),
  );
  return [...new Set(keys.map((key) => key.slice(0, -2)))].map((name) => path.normalize(name));
}
