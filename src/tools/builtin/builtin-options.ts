import type { Clock } from '../../core/index.js';
import type { StartedPath } from '../../files/index.js';
import type { SandboxOptions } from '../sandbox/sandbox.js';
import type { Lookup } from './resolve-host.js';

/** The world that the built-in tools act in. */
export interface BuiltinOptions {
  /** The working directory: what lies in it may be read without asking. */
  readonly cwd: string;
  /** The process's environment; commands get an allow-listed part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home directory, for paths that begin with `~/`. */
  readonly home: string;
  readonly clock: Clock;
  /** Names of further variables that commands get. Default none. */
  readonly passEnv?: readonly string[];
  /** Folders where the program keeps what is its own: always asked about, and hidden from commands in a sandbox. Default none. */
  readonly ownFolders?: readonly string[];
  /**
   * What the program starts or loads, and when: a change of it says so, what could change it too, and the sandbox keeps it
   * as it is. Looked for when a command or a change is planned. Default none.
   */
  readonly starts?: () => readonly StartedPath[];
  /** Finds the addresses of hosts. Default: as every program of this machine does. */
  readonly lookup?: Lookup;
  /** The sandbox that commands run in. Default: one where the system has one. */
  readonly sandbox?: SandboxOptions;
}

/** The origin that people see of tools that come with the product. */
export const BUILT_IN = 'built in';
