import { HitlError } from '../../core/index.js';

import type { Invocation } from './system-program.js';
import { guardedProc, systemMounts } from './system-places.js';
import type { Surroundings, Wanted } from './surroundings.js';
import { checkSight, survey } from './surroundings.js';
import { watchNames } from './watch.js';
import type { Bubblewrap } from './bubblewrap.js';
import { bubblewrap } from './bubblewrap.js';
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
  | { readonly type: 'on' }
  | { readonly type: 'off' }
  | { readonly type: 'missing'; readonly why: string; readonly required: boolean };

/** A command as run in the sandbox. */
interface Sandboxed extends Invocation {
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
   * Wraps a command in the sandbox; returns it unchanged without one.
   * @throws HitlError TOOL_FAILED if a required one is missing, or it cannot show the folder.
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

/** This system's sandbox after a test, or why there is none. */
export type Detected = { readonly sandbox: Bubblewrap } | { readonly why: string };

/** Finds a sandbox by running one: a system may have the program but refuse it the namespaces. */
export async function detectSandbox(): Promise<Detected> {
  if (process.platform !== 'linux') return { why: `there is none for ${process.platform}` };
  let found = false;
  for (const kind of ['strict', 'plain'] as const) {
    const sandbox = await bubblewrap(kind);
    found ||= sandbox !== undefined;
    if (sandbox !== undefined && (await works(sandbox))) return { sandbox };
  }
  return {
    why: found
      ? 'this system does not let bubblewrap make namespaces'
      : 'bubblewrap is not installed: apt, dnf or pacman install bubblewrap',
  };
}

/** Whether a command can run in a sandbox as one of the first processes that it sees. */
export async function works(sandbox: Bubblewrap): Promise<boolean> {
  const trial = { program: '/bin/sh', args: ['-c', 'test $$ -lt 100'], cwd: '/', network: false };
  const layout = await systemMounts();
  return canSucceed(await sandbox.wrap({ ...trial, layout, guarded: await guardedProc() }));
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
      if ('sandbox' in found) return { type: 'on' };
      return { type: 'missing', why: found.why, required: mode === 'required' };
    },
    async check(cwd, program) {
      if (mode === 'off' || !('sandbox' in (await detected()))) return;
      await checkSight(around, cwd, program);
    },
    async wrap({ program, args, ...wanted }) {
      const found = mode === 'off' ? undefined : await detected();
      if (found === undefined || !('sandbox' in found)) {
        if (mode === 'required') throw missing(found?.why ?? '');
        return { program, args, notes: async () => [] };
      }
      const layout = await survey(around, wanted);
      const notes = wanted.writes ? await watchNames(around.workspace, around.readOnly()) : async () => [];
      const { cwd, network } = wanted;
      const inside = { layout, guarded: await guardedProc(), program, args, cwd, network };
      return { ...(await found.sandbox.wrap(inside)), notes };
    },
  };
}
