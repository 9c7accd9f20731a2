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

/** `auto`: in a sandbox if available; `required`: only in a sandbox; `off`: without. */
export type SandboxMode = 'auto' | 'off' | 'required';

export interface SandboxOptions {
  /** Default `auto`. */
  readonly mode?: SandboxMode;
  /**
   * Absolute paths that commands must not change in the working directory: files and folders started or
   * loaded later. A missing one is moved aside if a command creates it. Default: none.
   */
  readonly readOnly?: readonly string[];
  /** Absolute paths of further folders and files that commands may read. Default none. */
  readonly reads?: readonly string[];
}

/** Whether commands run in a sandbox, and if not, why. */
export type SandboxState =
  /** `reads`: commands can run that change nothing, without asking. */
  | { readonly type: 'on'; readonly reads: boolean }
  | { readonly type: 'off' }
  | { readonly type: 'missing'; readonly why: string; readonly required: boolean };

/** A command as run in the sandbox. */
export interface Sandboxed extends Invocation {
  /** A filter of system calls, which the sandbox reads from the file with the number `FILTER`. */
  readonly filter?: Uint8Array;
  /** Cleans up and reports a command's effects despite the sandbox; call it when everything has ended. */
  notes(): Promise<readonly string[]>;
}

/** The sandbox that commands run in. */
export interface Sandbox {
  /** Detects this system's abilities once. */
  state(): Promise<SandboxState>;
  /**
   * Checks that a program can run in a folder.
   * @throws HitlError TOOL_FAILED if the sandbox does not show one of them.
   */
  check(cwd: string, program: string): Promise<void>;
  /**
   * Says why a command cannot run where it changes and sends nothing: no sandbox, another folder, too much to cover;
   * `undefined` if it can.
   * @throws HitlError TOOL_FAILED if the sandbox does not show the folder.
   */
  whyNotReading(cwd: string, program: string): Promise<string | undefined>;
  /**
   * Wraps a command in the sandbox; returns it unchanged without one.
   * @throws HitlError TOOL_FAILED if a required one is missing, it cannot show the folder, or the command must write
   * nothing and that cannot be kept.
   */
  wrap(command: Command): Promise<Sandboxed>;
}

interface Command extends Invocation, Wanted {}

/** The error of a command that may not run without a sandbox. */
export function missing(why: string): HitlError {
  return new HitlError('TOOL_FAILED', `a sandbox is required but not available: ${why}`, {
    hint: 'install bubblewrap, or allow commands without one: --sandbox auto',
  });
}

const NOT_HELD =
  'this system cannot hold a command that only reads: it needs bubblewrap 0.8, on x86-64 or arm64';

/** Says why this system cannot hold commands that nobody agreed to; `undefined` if it can. */
export function whyNotHeld(found: Detected): string | undefined {
  if (!('sandbox' in found)) return `there is no sandbox: ${found.why}`;
  return found.filter === undefined ? NOT_HELD : undefined;
}

/** This system's sandbox after a test, or why there is none. */
export type Detected =
  | {
      readonly sandbox: Bubblewrap;
      /** The filter of commands that only read; absent if they cannot be held here. */
      readonly filter?: Uint8Array;
    }
  | { readonly why: string };

/** Finds a sandbox by running one: a system may have the program but refuse it the namespaces. */
export async function detectSandbox(): Promise<Detected> {
  if (process.platform !== 'linux') return { why: `there is none for ${process.platform}` };
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
      ? 'this system does not let bubblewrap make namespaces'
      : 'bubblewrap is not installed: apt, dnf or pacman install bubblewrap',
  };
}

/** Whether a command can run in a sandbox as one of the first processes that it sees. */
export async function works(sandbox: Bubblewrap, filter?: Uint8Array): Promise<boolean> {
  const trial = { program: '/bin/sh', args: ['-c', 'test $$ -lt 100'], cwd: '/', network: false };
  const layout = await systemMounts();
  const isFiltered = filter !== undefined;
  return canSucceed(
    await sandbox.wrap({ ...trial, layout, guarded: await guardedProc(), isFiltered }),
    filter,
  );
}

/** Creates the environment for commands (ADR 54). The system's abilities are detected once, on first use. */
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
          filter === undefined ? NOT_HELD : 'what only reads has no network',
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
