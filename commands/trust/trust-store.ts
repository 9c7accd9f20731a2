// Invariants:
// T1 What cannot be read, or what others could have written, trusts nothing (G35).
// T2 The file is replaced in one step; two processes that write at once lose an entry at most, and ask again.
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { isJsonObject, isoTime } from '../../src/core/index.js';
import type { FileContent } from '../../src/files/index.js';
import type { Io } from '../host/index.js';
import { replaceFile, stateFolder } from '../host/index.js';

interface Trusted {
  readonly sha256: string;
  readonly at: string;
}

/** The environment and home folder, which determine where trust is stored. */
export type TrustPlace = Pick<Io, 'env' | 'home'>;

export type TrustedFiles = Readonly<Record<string, Trusted>>;

const LARGEST = 1 << 20;
const OTHERS_MAY_WRITE = 0o022;

/** Returns the trusted files by path, each with the digest of its trusted content. Never throws. */
export async function readTrust(io: TrustPlace): Promise<TrustedFiles> {
  try {
    return filesOf(JSON.parse(await ownText(trustFile(io), OTHERS_MAY_WRITE)));
  } catch {
    return {}; // T1
  }
}

/** Records that these files are trusted with their current content. Throws Node.js errors. */
export async function rememberTrust(io: Io, files: readonly FileContent[]): Promise<void> {
  const known = await readTrust(io);
  if (files.every((file) => trusts(known, file))) return;
  const at = isoTime(io.clock.now());
  const added = Object.fromEntries(files.map(({ path, sha256 }) => [path, { sha256, at }]));
  const path = trustFile(io);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ version: 1, files: { ...known, ...added } }, null, 2)}\n`);
}

/** Whether a file is trusted with exactly this content. */
export function trusts(trusted: TrustedFiles, { path, sha256 }: FileContent): boolean {
  return Object.hasOwn(trusted, path) && trusted[path]?.sha256 === sha256;
}

/**
 * Returns the files listed in a document. Returns none if any part of the document differs from the format
 * that this program writes (T1).
 */
function filesOf(document: unknown): TrustedFiles {
  if (!isJsonObject(document) || !hasOnly(document, ['version', 'files'])) return {};
  const { version, files } = document;
  if (version !== 1 || !isJsonObject(files)) return {};
  const entries = Object.entries(files);
  return entries.every(isEntry) ? Object.fromEntries(entries) : {};
}

function isEntry(entry: readonly [string, JsonValue]): entry is [string, JsonObject & Trusted] {
  const [, value] = entry;
  return (
    isJsonObject(value) &&
    hasOnly(value, ['sha256', 'at']) &&
    typeof value['sha256'] === 'string' &&
    typeof value['at'] === 'string'
  );
}

/** Whether an object has only these keys. */
export function hasOnly(object: object, keys: readonly string[]): boolean {
  return Object.keys(object).every((key) => keys.includes(key));
}

function trustFile(io: TrustPlace): string {
  return join(stateFolder(io), 'trust.json');
}

/**
 * Reads a file that belongs to this user; returns an empty string for any other file. Does not follow
 * symbolic links.
 * @param others permission bits that must not be set for other users.
 */
export async function ownText(path: string, others: number): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const facts = await file.stat();
  const user = process.geteuid?.();
  const foreign = user !== undefined && facts.uid !== user;
  if (!facts.isFile() || foreign || (facts.mode & others) !== 0 || facts.size > LARGEST) return '';
  return await file.readFile('utf8');
}
