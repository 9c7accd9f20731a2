import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SessionStore } from '../../src/core/index.js';
import { createFileStore, createMemoryStore, ownKey } from '../../sessions/index.js';
import type { FileStore } from '../../sessions/index.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';
import { storeOptions } from './store-options.js';

/** The sessions on disk that the flags and the environment name. */
export function openStore(
  io: Io,
  flags: { readonly sessions?: string },
  { takeOver = false }: { readonly takeOver?: boolean } = {},
): FileStore {
  return createFileStore({ ...storeOptions(io, flags), takeOver, key: () => userKey(io) });
}

/** The key that seals this user's sessions. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
export function userKey(io: Io): Uint8Array {
  return ownKey(join(stateFolder(io), 'key'), (size) => randomBytes(size));
}

/** Where a new session goes: to disk, or nowhere with `--no-save`. */
export function storeFor(io: Io, flags: { readonly sessions?: string; readonly save: boolean }): AnyStore {
  if (flags.save) return openStore(io, flags);
  return createMemoryStore({ clock: io.clock, random: (size) => randomBytes(size) });
}

export type AnyStore = FileStore | SessionStore;

/** True for sessions on disk, which other processes can answer and which have a transcript file. */
export function isFileStore(store: AnyStore): store is FileStore {
  return 'resolveId' in store;
}
