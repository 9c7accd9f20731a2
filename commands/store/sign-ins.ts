import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canonicalJson,
  HitlError,
  hmacSha256,
  isJsonObject,
  messageOf,
  parseStrictJson,
} from '../../src/core/index.js';
import type { SignIns } from '../../src/server/index.js';
import type { Io } from '../host/index.js';
import { sessionsFolder, stateFolder } from '../host/index.js';
import type { PlaceFlags } from './address.js';
import { storeAddress } from './address.js';
import { userKey } from './store.js';

// Invariants:
// K1 Each server has a file of its own: another way in, another place and another store are another server, with another
//    key. What one gave a browser is nothing to the next.
// K2 The key and what was revoked under it are one file: without the file nobody is signed in.

/** State of `hitl serve` that survives restarts. */
export interface KeptServer extends SignIns {
  /** A unique, unguessable host name: `<label>.localhost`. */
  readonly label: string;
}

/** Contents of the file. */
interface Kept {
  readonly label: string;
  readonly key: string;
  readonly signOuts: Readonly<Record<string, number>>;
}

const FORMAT = 'hitl-serve-1';
const KEY_BYTES = 32;
const LABEL_BYTES = 10;

/**
 * Reads a server's saved state, or creates it.
 * @param server the sign-in method and listening address
 */
export async function keptServer(io: Io, flags: PlaceFlags, server: readonly string[]): Promise<KeptServer> {
  const store = storeAddress(io, flags) ?? sessionsFolder(io, flags.sessions);
  const name = Buffer.from(
    hmacSha256(userKey(io), canonicalJson(['hitl serve', store, ...server])),
    'base64url',
  );
  const file = join(stateFolder(io), 'serve', `${name.toString('hex').slice(0, 24)}.json`);
  const found = await readKept(file);
  let kept = found ?? {
    label: randomBytes(LABEL_BYTES).toString('hex'),
    key: randomBytes(KEY_BYTES).toString('base64url'),
    signOuts: {},
  };
  if (found === undefined) await writeKept(file, kept);
  const signOuts = (of: string): number => (Object.hasOwn(kept.signOuts, of) ? (kept.signOuts[of] ?? 0) : 0);
  return {
    label: kept.label,
    key: Buffer.from(kept.key, 'base64url'),
    signOuts,
    signOut: async (of) => {
      kept = { ...kept, signOuts: { ...kept.signOuts, [of]: signOuts(of) + 1 } };
      await writeKept(file, kept);
    },
  };
}

/**
 * Reads the saved file; `undefined` if it is missing or invalid. If a new file is created, everyone is signed
 * out (K2).
 */
async function readKept(file: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const read = parseStrictJson(text);
  if (!read.ok || !isJsonObject(read.value) || read.value['format'] !== FORMAT) return undefined;
  const { label, key, signOuts } = read.value;
  if (typeof label !== 'string' || !/^[0-9a-f]{20}$/u.test(label) || typeof key !== 'string')
    return undefined;
  if (Buffer.from(key, 'base64url').length !== KEY_BYTES) return undefined;
  if (signOuts === undefined || !isJsonObject(signOuts)) return undefined;
  const counts = Object.entries(signOuts).flatMap(([name, count]) =>
    typeof count === 'number' ? [[name, count] as const] : [],
  );
  return { label, key, signOuts: Object.fromEntries(counts) };
}

/** Writes the file atomically, readable only by its owner. */
async function writeKept(file: string, kept: Kept): Promise<void> {
  const folder = join(file, '..');
  const made = join(folder, `.${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const handle = await open(made, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ format: FORMAT, ...kept })}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(made, file);
  } catch (cause) {
    await rm(made, { force: true }).catch(() => undefined);
    throw new HitlError('SAVE_FAILED', `cannot save the sign-outs: ${messageOf(cause)}`, { cause });
  }
}
