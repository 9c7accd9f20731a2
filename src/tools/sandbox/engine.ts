import type { Layout } from './layout.js';

/** A command and what it sees of the world. */
export interface Inside {
  readonly layout: Layout;
  /** Parts of `/proc` that stay read-only, also for root. */
  readonly guarded: readonly string[];
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly network: boolean;
}

/** A program with arguments that runs a command in a sandbox. */
export interface Wrapped {
  readonly program: string;
  readonly args: readonly string[];
}

/** A way in which this system can run a command in a sandbox. */
export interface Engine {
  readonly name: 'bwrap' | 'unshare';
  wrap(inside: Inside): Promise<Wrapped>;
}
