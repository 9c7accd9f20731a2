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

/** Where trust is stored. */
export type TrustPlace = Pick<Io, 'env' | 'home'>;

export type TrustedFiles = Readonly<Record<string, Trusted>>;

const LARGEST = 1 << 20;
const OTHERS_MAY_WRITE = 0o022;

/** Trusted files with their trusted content, by path. Never throws. */
export async function readTrust(io: TrustPlace): Promise<TrustedFiles> {
  try {
    return filesOf(JSON.parse(await ownText(trustFile(io), OTHERS_MAY_WRITE)));
  } catch {
    return {}; // T1
  }
}

/** Stores that these files are trusted as they are. Throws Node's errors. */
export async function rememberTrust(io: Io, files: readonly FileContent[]): Promise<void> {
  const known = await readTrust(io);
  if (files.every((file) => trusts(known, file))) return;
  const at = isoTime(io.clock.now());
  const added = Object.fromEntries(files.map(({ path, sha256 }) => [path, { sha256, at }]));
  const path = trustFile(io);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ version: 1, files: { ...known, ...added } }, null, 2)}\n`);
}

/** Whether the file is trusted with exactly this content. */
export function trusts(trusted: TrustedFiles, { path, sha256 }: FileContent): boolean {
  return Object.hasOwn(trusted, path) && trusted[path]?.sha256 === sha256;
}

/** The files that a document names; none if any part of it is not as this program writes it (T1). */
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

/** Whether an object has no other keys. */
export function hasOnly(object: object, keys: readonly string[]): boolean {
  return Object.keys(object).every((key) => keys.includes(key));
}

function trustFile(io: TrustPlace): string {
  return join(stateFolder(io), 'trust.json');
}

/**
 * Reads a file owned by this user alone; empty otherwise. Does not follow links.
 * @param others permissions that no one else may have.
 */
export async function ownText(path: string, others: number): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const facts = await file.stat();
  const user = process.geteuid?.();
  const foreign = user !== undefined && facts.uid !== user;
  if (!facts.isFile() || foreign || (facts.mode & others) !== 0 || facts.size > LARGEST) return '';
  return await file.readFile('utf8');
}
