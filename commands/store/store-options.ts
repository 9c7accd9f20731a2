import { randomBytes } from 'node:crypto';
import type { FileStoreOptions } from '../../sessions/index.js';
import type { Io } from '../host/index.js';
import { sessionsFolder, version } from '../host/index.js';

/** Returns the options for a disk store, based on the flags and the environment. */
export function storeOptions(io: Io, flags: { readonly sessions?: string }): FileStoreOptions {
  return {
    root: sessionsFolder(io, flags.sessions),
    clock: io.clock,
    random: (size) => randomBytes(size),
    program: version(),
  };
}
