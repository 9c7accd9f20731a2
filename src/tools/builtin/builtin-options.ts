import type { Clock, Facts } from '../../core/index.js';
import type { StartedPath } from '../../files/index.js';
import type { SandboxOptions } from '../sandbox/sandbox.js';
import type { Lookup } from './resolve-host.js';

/** The environment of the built-in tools. */
export interface BuiltinOptions {
  /** The working directory; files in it may be read without asking. */
  readonly cwd: string;
  /** The process's environment; commands get an allow-listed part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home directory, for `~/`. */
  readonly home: string;
  readonly clock: Clock;
  /** Names of further variables for commands. Default: none. */
  readonly passEnv?: readonly string[];
  /** hitl's own folders: always asked about, and hidden from sandboxed commands. Default: none. */
  readonly ownFolders?: readonly string[];
  /**
   * Files that hitl starts or loads, and when: changing one warns, and the sandbox protects them. Checked
   * when a command or change is planned. Default: none.
   */
  readonly starts?: () => readonly StartedPath[];
  /**
   * Lets commands that write run in a copy of the working directory, from which changed files are copied back.
   * Default: never.
   */
  readonly copies?: CopyOptions;
  /** Resolves hosts. Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** The sandbox for commands. Default: one if the system has it. */
  readonly sandbox?: SandboxOptions;
}

/** When commands run in a copy, and which files are not copied back without a question. */
export interface CopyOptions {
  readonly isOn: () => boolean;
  /** Returns why a file must not change without a question; `undefined` if it may. */
  readonly whyNot: (change: { readonly path: string; readonly facts: Facts }) => string | undefined;
}

/** Displayed source of the built-in tools. */
export const BUILT_IN = 'built in';
