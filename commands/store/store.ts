import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionId, SessionStore, Shown } from '../../src/core/index.js';
import { durationText, escapeText, HitlError, isHitlError, shown } from '../../src/core/index.js';
import { createFileStore, createMemoryStore, ownKey } from '../../sessions/index.js';
import { lineTo } from '../../sessions/postgres/driver/database-address.js';
import type { Io } from '../host/index.js';
import { printJson, stateFolder, tell } from '../host/index.js';
import type { CommonFlags } from '../flags/options.js';
import type { PlaceFlags } from './address.js';
import { locksAddress, storeAddress } from './address.js';
import { storeOptions } from './store-options.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';

/** Opens the session store that the flags and the environment specify. */
export function openStore(io: Io, flags: PlaceFlags): SessionStore {
  const connection = storeAddress(io, flags);
  if (connection !== undefined) {
    const files = join(stateFolder(io), 'beside');
    const key = storeKey(io);
    const locks = locksAddress(io);
    return createPostgresStore({
      ...{ connection, clock: io.clock, random: (size) => randomBytes(size), files },
      ...(key !== undefined && { key: () => key }),
      ...(locks !== undefined && { locks }),
      skewed: (ms) => {
        tell(io.stderr, skewNotice(ms));
      },
      promoted: ({ from, to }) => {
        tell(io.stderr, promotedNotice(from, to));
      },
    });
  }
  const ends = join(stateFolder(io), 'ends');
  return createFileStore({ ...storeOptions(io, flags), key: () => userKey(io), ends });
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Warns that this machine's clock or the database's clock is wrong. */
function skewNotice(ms: number): Shown {
  const off = Math.abs(ms);
  const unit = off < MINUTE_MS ? SECOND_MS : MINUTE_MS; // the way to the database took a part of it
  const by = durationText(Math.round(off / unit) * unit);
  return shown`this machine’s clock is ${escapeText(by)} ${ms > 0 ? shown`ahead of` : shown`behind`} the database clock; hitl uses the database clock`;
}

/**
 * Reports that a standby or a restored backup has taken over. Only the operator knows which of the two
 * happened, and whether data is missing.
 */
function promotedNotice(from: number, to: number): Shown {
  return shown`the database was promoted (timeline ${from}, now ${to})\nhint: hitl store restored if it came from a backup or lost data; otherwise hitl store moved`;
}

/** Returns the key that signs this user's sessions. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
export function userKey(io: Io): Uint8Array {
  return ownKey(join(stateFolder(io), 'key'), (size) => randomBytes(size));
}

/** Returns the default path of the file with the database key. */
function storeKeyFile(io: Io): string {
  return join(stateFolder(io), 'store-key');
}

const HEX_KEY = /^[0-9a-f]{64}$/i;

/**
 * Returns the database key from the environment variable or from this machine's key file; `undefined` if
 * there is none. Without a key, anyone who can write to the database can forge its contents.
 * @throws HitlError SAVE_FAILED, SESSION_UNSAFE, BAD_CONFIG if a specified key does not exist
 */
function storeKey(io: Io): Uint8Array | undefined {
  const given = io.env['HITL_STORE_KEY'] ?? '';
  if (HEX_KEY.test(given)) return Buffer.from(given, 'hex');
  const file = given === '' ? storeKeyFile(io) : resolve(io.cwd, given);
  if (existsSync(file)) return ownKey(file, (size) => randomBytes(size));
  if (given === '') return undefined;
  throw new HitlError('BAD_CONFIG', 'HITL_STORE_KEY is neither an existing file nor 64 hex digits', {
    hint: 'copy the key from a machine that has it (hitl store key shows where)',
  });
}

/**
 * Checks that the store accepts records signed with this program's key. If the store is unavailable, the key
 * is checked later.
 * @throws HitlError BAD_CONFIG
 */
export async function checkKey({ capabilities: { key } }: SessionStore): Promise<void> {
  try {
    await key?.check();
  } catch (thrown) {
    if (!isHitlError(thrown) || thrown.code !== 'STORE_UNAVAILABLE') throw thrown;
  }
}

/**
 * Returns a warning that in a database without a key, anyone who can write to the database can decide what is
 * approved; `undefined` for a signed store or a folder.
 */
export function proofNotice(io: Io, flags: PlaceFlags, { capabilities }: SessionStore): string | undefined {
  return storeAddress(io, flags) === undefined || capabilities.signs === true
    ? undefined
    : 'this store has no key: anyone who can write to the database can forge approvals';
}

/**
 * Returns a warning if the database is a copy, because no session runs in a copy. Returns `undefined` if it
 * is not a copy, or if that cannot be checked at the moment.
 * @throws HitlError BAD_CONFIG if it can never be checked
 */
export async function copyNotice(store: SessionStore): Promise<Shown | undefined> {
  try {
    const seen = await store.capabilities.origin?.look();
    if (seen?.isCopy !== true) return undefined;
  } catch (thrown) {
    if (!isHitlError(thrown) || thrown.code === 'BAD_CONFIG') throw thrown;
    return undefined; // whoever works in it hears of that
  }
  return shown`this database is a copy of another one: sessions do not run until you confirm its origin\nhint: hitl store restored if it came from a backup, hitl store moved if the old location is gone`;
}

/** Describes how the connection to a remote database is protected; `undefined` for a local database. */
export function lineNotice(io: Pick<Io, 'env'>, flags: PlaceFlags): Shown | undefined {
  const address = storeAddress(io, flags);
  const line = address === undefined ? undefined : lineTo(address, io.env['PGHOST']);
  if (line === undefined || line.type === 'here') return undefined;
  const how = LINES[line.mode] ?? shown`encrypted and verified`;
  return shown`the connection to ${escapeText(line.host)} is ${how} (sslmode=${escapeText(line.mode)})`;
}

/** Warnings for the SSL modes in which the driver does not both encrypt and verify the connection. */
const LINES: Readonly<Record<string, Shown>> = {
  disable: shown`not encrypted: anyone in between can read and change everything`,
  'no-verify': shown`encrypted but not verified: anyone in between can read and change everything`,
};

interface KeyFlags extends CommonFlags {
  readonly replace?: boolean;
}

/**
 * `hitl store key`: creates the database key if there is none, and shows its location.
 * @throws HitlError BAD_CONFIG if the database has a key but this machine does not
 */
export async function makeStoreKey(io: Io, flags: KeyFlags): Promise<number> {
  const given = io.env['HITL_STORE_KEY'] ?? '';
  if (HEX_KEY.test(given)) {
    tell(io.stderr, shown`the key is in HITL_STORE_KEY`);
    return 0;
  }
  const file = given === '' ? storeKeyFile(io) : resolve(io.cwd, given);
  const isNew = !existsSync(file);
  const isShared = storeAddress(io, {}) !== undefined;
  if (isNew && isShared && flags.replace !== true) await checkUnmarked(io, file);
  ownKey(file, (size) => randomBytes(size));
  if (isShared && flags.replace === true) await openStore(io, {}).capabilities.key?.replace();
  if (flags.json === true) printJson(io, { file, isNew });
  else io.stdout.write(shown`${escapeText(file)}\n`);
  if (flags.quiet === true) return 0;
  if (isNew) tell(io.stderr, shown`created a key; existing sessions will ask again`);
  tell(
    io.stderr,
    shown`hint: copy this file to each machine that uses the database, or set HITL_STORE_KEY to its path`,
  );
  return Promise.resolve(0);
}

/**
 * Rejects a new key if the database already has one. A second key would invalidate the records that this
 * machine writes.
 * @throws HitlError BAD_CONFIG, STORE_UNAVAILABLE
 */
async function checkUnmarked(io: Io, file: string): Promise<void> {
  const host = await openStore(io, {}).capabilities.key?.notedBy();
  if (host === undefined) return;
  throw new HitlError('BAD_CONFIG', `the database already has a key, set by ${escapeText(host)}`, {
    hint: `on that machine, \`hitl store key\` shows the key file: copy it to ${file}; if it is lost: hitl store key --replace`,
  });
}

/** Returns the store for a new session: the default store, or an in-memory store with `--no-save`. */
export function storeFor(io: Io, flags: PlaceFlags & { readonly save?: boolean }): SessionStore {
  if (flags.save === true) return openStore(io, flags);
  const { sessions, store } = flags;
  if (sessions !== undefined || store !== undefined)
    throw new HitlError(
      'USAGE',
      `--no-save and --${sessions === undefined ? 'store' : 'sessions'} cannot be used together`,
      {
        hint: 'leave one of them out',
      },
    );
  return createMemoryStore({ clock: io.clock, random: (size) => randomBytes(size) });
}

/**
 * Returns the most recently changed readable session.
 * @throws HitlError SESSION_NOT_FOUND if there is none
 */
export async function latestSession(store: SessionStore): Promise<SessionId> {
  for await (const { id, status } of store.list()) if (status !== 'unreadable') return id;
  throw new HitlError('SESSION_NOT_FOUND', 'no sessions yet', { hint: 'start one: hitl chat' });
}

/** Returns the functions that check and repair a store. @throws HitlError USAGE if the store has none */
export function doctorOf({
  capabilities,
}: SessionStore): NonNullable<SessionStore['capabilities']['doctor']> {
  if (capabilities.doctor !== undefined) return capabilities.doctor;
  throw new HitlError('USAGE', 'this store cannot be examined', {
    hint: 'use a folder of sessions: --sessions <dir>',
  });
}
