import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { createFileStore, createMemoryStore, ownKey } from '../../sessions/index.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';
import type { PlaceFlags } from './address.js';
import { storeAddress } from './address.js';
import { storeOptions } from './store-options.js';

/** The sessions that the flags and the environment name. */
export async function openStore(io: Io, flags: PlaceFlags): Promise<SessionStore> {
  const connection = storeAddress(io, flags);
  if (connection !== undefined) {
    const { createPostgresStore } = await import('../../sessions/postgres/index.js');
    const files = join(stateFolder(io), 'beside');
    return createPostgresStore({ connection, clock: io.clock, random: (size) => randomBytes(size), files });
  }
  return createFileStore({ ...storeOptions(io, flags), key: () => userKey(io) });
}

/** The key that seals this user's sessions. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
export function userKey(io: Io): Uint8Array {
  return ownKey(join(stateFolder(io), 'key'), (size) => randomBytes(size));
}

/** Gives the store that a new session goes to: the one where all are, or with `--no-save` one in memory only. */
export async function storeFor(
  io: Io,
  flags: PlaceFlags & { readonly save: boolean },
): Promise<SessionStore> {
  if (flags.save) return openStore(io, flags);
  return createMemoryStore({ clock: io.clock, random: (size) => randomBytes(size) });
}

/**
 * The session that changed last, of those that can be read.
 * @throws HitlError SESSION_NOT_FOUND where there is none
 */
export async function latestSession(store: SessionStore): Promise<SessionId> {
  for await (const { id, status } of store.list()) if (status !== 'unreadable') return id;
  throw new HitlError('SESSION_NOT_FOUND', 'there is no session yet', { hint: 'begin one: hitl chat' });
}

/** Gives the doctor that looks after the sessions of a store. @throws HitlError USAGE where nothing does */
export function doctorOf({
  capabilities,
}: SessionStore): NonNullable<SessionStore['capabilities']['doctor']> {
  if (capabilities.doctor !== undefined) return capabilities.doctor;
  throw new HitlError('USAGE', 'this store has no doctor: it keeps nothing that could be looked at', {
    hint: 'name a folder of sessions: --sessions <dir>',
  });
}
