import { randomBytes } from 'node:crypto';
import type { SessionStore } from '../../src/core/index.js';
import { createFileStore, createMemoryStore } from '../../sessions/index.js';
import type { FileStore } from '../../sessions/index.js';
import type { Io } from '../host/index.js';
import { storeOptions } from './store-options.js';

/** The sessions on disk that the flags and the environment name. */
export function openStore(
  io: Io,
  flags: { readonly sessions?: string },
  { takeOver = false }: { readonly takeOver?: boolean } = {},
): FileStore {
  return createFileStore({ ...storeOptions(io, flags), takeOver });
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
