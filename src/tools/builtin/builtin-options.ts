import type { Clock, Facts } from '../../core/index.js';
import type { StartedPath } from '../../files/index.js';
import type { SandboxOptions } from '../sandbox/sandbox.js';
import type { Lookup } from './resolve-host.js';

/** Options for the built-in tools. */
export interface BuiltinOptions {
  /** The working directory. Its files may be read without asking. */
  readonly cwd: string;
  /** The environment of this process. Commands receive only allowed variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory, which `~/` refers to. */
  readonly home: string;
  readonly clock: Clock;
  /** Names of additional variables passed to commands. Default: none. */
  readonly passEnv?: readonly string[];
  /**
   * Folders that belong to hitl. Access to them always needs approval, and sandboxed commands cannot see
   * them. Default: none.
   */
  readonly ownFolders?: readonly string[];
  /**
   * Returns the files that hitl starts or loads, along with a description of when it does so. A change to one
   * of them causes a warning, and the sandbox protects them. Called each time a command or change is planned.
   * Default: none.
   */
  readonly starts?: () => readonly StartedPath[];
  /**
   * Lets commands that write run in a copy of the working directory, from which changed files are copied
   * back. Default: never.
   */
  readonly copies?: CopyOptions;
  /** Resolves hosts. Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** The sandbox for commands. Default: the system's sandbox, if available. */
  readonly sandbox?: SandboxOptions;
}

/** Whether commands run in a copy, and which files are not copied back without asking. */
export interface CopyOptions {
  readonly isOn: () => boolean;
  /** Returns the reason that a file must not change without asking, or `undefined` if it may change. */
  readonly whyNot: (change: { readonly path: string; readonly facts: Facts }) => string | undefined;
}

/** Displayed source of the built-in tools. */
export const BUILT_IN = 'built in';
