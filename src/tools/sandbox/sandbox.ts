import { HitlError } from '../../core/index.js';

import type { Invocation } from './system-program.js';
import { guardedProc, systemMounts } from './system-places.js';
import type { Surroundings, Wanted } from './surroundings.js';
import { checkSight, survey, whyNotReading } from './surroundings.js';
import { watchNames } from './watch.js';
import type { Bubblewrap } from './bubblewrap.js';
import { bubblewrap } from './bubblewrap.js';
import { callFilter } from './call-filter.js';
import { canSucceed } from './system-program.js';

/**
 * When commands run in a sandbox. `auto`: if one is available; `required`: always, or not at all; `off`:
 * never.
 */
export type SandboxMode = 'auto' | 'off' | 'required';

export interface SandboxOptions {
  /** Default `auto`. */
  readonly mode?: SandboxMode;
  /**
   * Absolute paths of files and folders in the working directory that commands must not change, because they
   * are started or loaded later. If one of them is missing and a command creates it, the new entry is moved
   * aside. Default: none.
   */
  readonly readOnly?: readonly string[];
  /** Absolute paths of additional folders and files that commands may read. Default: none. */
  readonly reads?: readonly string[];
}

/** Whether commands run in a sandbox, and the reason if they do not. */
export type SandboxState =
  /** `reads` means that read-only commands can run without asking. */
  | { readonly type: 'on'; readonly reads: boolean }
  | { readonly type: 'off' }
  | { readonly type: 'missing'; readonly why: string; readonly required: boolean };

/** A command wrapped to run in the sandbox. */
export interface Sandboxed extends Invocation {
  /** System call filter, which the sandbox reads from the file descriptor `FILTER`. */
  readonly filter?: Uint8Array;
  /**
   * Cleans up, and returns notes on the effects that the command had despite the sandbox. Call it when all
   * processes have ended.
   */
  notes(): Promise<readonly string[]>;
}

/** The sandbox for commands. */
export interface Sandbox {
  /** Returns the state of the sandbox. The capabilities of the system are detected only once. */
  state(): Promise<SandboxState>;
  /**
   * Checks that a program can run in a folder.
   * @throws HitlError TOOL_FAILED if the sandbox cannot show the program or the folder.
   */
  check(cwd: string, program: string): Promise<void>;
  /**
   * Returns the reason that a command cannot run in a way that keeps it from changing or sending anything,
   * such as a missing sandbox or a folder outside the working directory. Returns `undefined` if it can.
   * @throws HitlError TOOL_FAILED if the sandbox cannot show the folder.
   */
  whyNotReading(cwd: string, program: string): Promise<string | undefined>;
  /**
   * Wraps a command so that it runs in the sandbox. Returns the command unchanged if there is no sandbox.
   * @throws HitlError TOOL_FAILED if a required sandbox is missing, or if the sandbox cannot show the folder
   * or cannot confine a command that must not write.
   */
  wrap(command: Command): Promise<Sandboxed>;
}

interface Command extends Invocation, Wanted {}

/** Returns the error for a command that must not run without a sandbox. */
export function missing(why: string): HitlError {
  return new HitlError('TOOL_FAILED', `a sandbox is required but not available: ${why}`, {
    hint: 'install bubblewrap, or allow commands without one: --sandbox auto',
  });
}

const NOT_HELD =
  'this system cannot confine read-only commands: that requires bubblewrap 0.8 on x86-64 or arm64';

/** Returns the reason that this system cannot confine unapproved commands, or `undefined` if it can. */
export function whyNotHeld(found: Detected): string | undefined {
  if (!('sandbox' in found)) return `there is no sandbox: ${found.why}`;
  return found.filter === undefined ? NOT_HELD : undefined;
}

/** The sandbox that works on this system, or the reason that there is none. */
export type Detected =
  | {
      readonly sandbox: Bubblewrap;
      /** The system call filter for read-only commands. Absent if this system cannot confine them. */
      readonly filter?: Uint8Array;
    }
  | { readonly why: string };

/**
 * Finds a sandbox by running it, because a system may have the program installed but not let it create
 * namespaces.
 */
export async function detectSandbox(): Promise<Detected> {
  if (process.platform !== 'linux') return { why: `not supported on ${process.platform}` };
  let found = false;
  for (const kind of ['strict', 'plain'] as const) {
    const sandbox = await bubblewrap(kind);
    found ||= sandbox !== undefined;
    if (sandbox === undefined || !(await works(sandbox))) continue;
    // An older bubblewrap lets a command make name spaces of its own: good enough where a person agreed.
    const filter = kind === 'strict' ? callFilter(process.arch) : undefined;
    return { sandbox, ...(filter !== undefined && (await works(sandbox, filter)) && { filter }) };
  }
  return {
    why: found
      ? 'this system does not let bubblewrap create namespaces'
      : 'bubblewrap is not installed; install it with apt, dnf or pacman',
  };
}

/**
 * Whether a command can run in a sandbox. The test command checks that its process ID is low, because a low
 * ID shows that the command has its own process namespace.
 */
export async function works(sandbox: Bubblewrap, filter?: Uint8Array): Promise<boolean> {
  const trial = { program: '/bin/sh', args: ['-c', 'test $$ -lt 100'], cwd: '/', network: false };
  const layout = await systemMounts();
  const isFiltered = filter !== undefined;
  return canSucceed(
    await sandbox.wrap({ ...trial, layout, guarded: await guardedProc(), isFiltered }),
    filter,
  );
}

/**
 * Creates the sandbox for commands (ADR 54). The capabilities of the system are detected once, on first use.
 */
export function createSandbox(
  around: Surroundings,
  mode: SandboxMode,
  detect: () => Promise<Detected> = detectSandbox,
): Sandbox {
  let detecting: Promise<Detected> | undefined;
  const detected = (): Promise<Detected> => (detecting ??= detect());
  return {
    async state() {
      if (mode === 'off') return { type: 'off' };
      const found = await detected();
      if ('sandbox' in found) return { type: 'on', reads: found.filter !== undefined };
      return { type: 'missing', why: found.why, required: mode === 'required' };
    },
    async check(cwd, program) {
      if (mode === 'off' || !('sandbox' in (await detected()))) return;
      await checkSight(around, cwd, program);
    },
    async whyNotReading(cwd, program) {
      if (mode === 'off') return 'the sandbox is off';
      return whyNotHeld(await detected()) ?? whyNotReading(around, cwd, program);
    },
    async wrap({ program, args, ...wanted }) {
      const found = mode === 'off' ? undefined : await detected();
      if (found === undefined || !('sandbox' in found)) {
        if (mode === 'required') throw missing(found?.why ?? '');
        if (!wanted.writes || wanted.copy !== undefined)
          throw new HitlError('TOOL_FAILED', `only in a sandbox: ${found?.why ?? 'it is off'}`);
        return { program, args, notes: async () => [] };
      }
      const isAgreed = wanted.writes && wanted.copy === undefined;
      const filter = isAgreed ? undefined : found.filter;
      if (!isAgreed && (filter === undefined || wanted.network))
        throw new HitlError(
          'TOOL_FAILED',
          filter === undefined ? NOT_HELD : 'read-only commands have no network',
        );
      const layout = await survey(around, wanted);
      const notes = isAgreed ? await watchNames(around.workspace, around.readOnly()) : async () => [];
      const { cwd, network } = wanted;
      const isFiltered = filter !== undefined;
      const inside = { layout, guarded: await guardedProc(), program, args, cwd, network, isFiltered };
      return { ...(await found.sandbox.wrap(inside)), ...(filter !== undefined && { filter }), notes };
    },
  };
}
