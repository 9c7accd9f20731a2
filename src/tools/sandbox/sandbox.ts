import { HitlError } from '../../core/index.js';

import type { Detected } from './detect.js';
import { detectEngine } from './detect.js';
import type { Wrapped } from './engine.js';
import { guardedProc } from './guarded-proc.js';
import { watchFolder } from './repository.js';
import type { Surroundings } from './surroundings.js';
import { isWritable, survey } from './surroundings.js';

/** `auto`: in a sandbox where there is one; `required`: not at all without one; `off`: without. */
export type SandboxMode = 'auto' | 'off' | 'required';

export interface SandboxOptions {
  /** Default `auto`. */
  readonly mode?: SandboxMode;
  /** Absolute paths of files in the working directory that commands must not change. */
  readonly readOnly?: readonly string[];
}

/** Whether commands run in a sandbox, and why not where they do not. */
export type SandboxState =
  | { readonly type: 'on'; readonly engine: string; readonly writable: boolean }
  | { readonly type: 'off' }
  | { readonly type: 'missing'; readonly why: string; readonly required: boolean };

/** A command as the sandbox runs it. */
interface Sandboxed extends Wrapped {
  /** Tells what the command did in spite of the sandbox; for when all of it has ended. */
  notes(): Promise<readonly string[]>;
}

/** The sandbox that commands run in. */
export interface Sandbox {
  /** Looks once what this system can do. */
  state(): Promise<SandboxState>;
  /**
   * The command inside of the sandbox; the command itself where there is none.
   * @throws HitlError TOOL_FAILED where there is none and one is required, or the working directory lies in a hidden folder.
   */
  wrap(command: Command): Promise<Sandboxed>;
}

interface Command extends Wrapped {
  readonly cwd: string;
  readonly network: boolean;
}

/** The error of a command that may not run without a sandbox. */
export function missing(why: string): HitlError {
  return new HitlError('TOOL_FAILED', `commands run in a sandbox only, and there is none: ${why}`, {
    hint: 'install bubblewrap, or allow commands without one: --sandbox auto',
  });
}

/** Makes what commands run in (ADR 15). What the system can do is found out at the first use, once. */
export function createSandbox(
  around: Surroundings,
  mode: SandboxMode,
  detect: () => Promise<Detected> = detectEngine,
): Sandbox {
  let detecting: Promise<Detected> | undefined;
  const engineOf = (): Promise<Detected> => (detecting ??= detect());
  return {
    async state() {
      if (mode === 'off') return { type: 'off' };
      const detected = await engineOf();
      if ('engine' in detected)
        return { type: 'on', engine: detected.engine.name, writable: await isWritable(around) };
      return { type: 'missing', why: detected.why, required: mode === 'required' };
    },
    async wrap({ program, args, cwd, network }) {
      const detected = mode === 'off' ? undefined : await engineOf();
      if (detected === undefined || !('engine' in detected)) {
        if (mode === 'required') throw missing(detected?.why ?? '');
        return { program, args, notes: async () => [] };
      }
      const layout = await survey(around, cwd, network);
      const notes = await watchFolder(around.workspace);
      const guarded = await guardedProc();
      const wrapped = await detected.engine.wrap({ layout, guarded, program, args, cwd, network });
      return { ...wrapped, notes };
    },
  };
}
