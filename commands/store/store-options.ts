import { randomBytes } from 'node:crypto';
import type { FileStoreOptions } from '../../sessions/index.js';
import type { Io } from '../host/index.js';
import { sessionsFolder, version } from '../host/index.js';

/** The sessions on disk that the flags and the environment name. */
export function storeOptions(io: Io, flags: { readonly sessions?: string }): FileStoreOptions {
  return {
    root: sessionsFolder(io, flags.sessions),
    clock: io.clock,
    random: (size) => randomBytes(size),
    program: version(),
  };
}
