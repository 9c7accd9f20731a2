// Invariants:
// P1 Every program of this package is started here, under the laws of its kind: no other folder may import what starts one.
// P2 A program that stands in a neutral folder is found outside of what the session works on, and stands outside of it.
// P3 What names its files is compared with what was trusted, directly before it starts; where nobody looked at them,
//    nothing that could have changed them has run since.
import type { ChildProcess, SpawnOptions, SpawnSyncReturns, StdioOptions } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { HitlError } from '../core/index.js';
import type { FileContent } from '../files/index.js';
import { changedFiles } from '../files/index.js';
import type { WorkPlace } from './guarded.js';
import { findInPath, guardedFolder, liesIn, neutralFolder, searchPath, SYSTEM_PATH } from './guarded.js';
import { withoutOurFiles } from './inherited-files.js';
import type { ProgramKind } from './kinds.js';
import { lawsOf } from './kinds.js';

/** A folder from which a program loads unreviewed files. */
export interface Unseen {
  readonly folder: string;
  /** Why they could not be reviewed. */
  readonly why: string;
  /** Identifies what had run there when it was approved. */
  readonly mark: string;
  /** Identifies what has run there by now. */
  now(): string;
}

/** A program to start. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The session's working location, which determines what is neutral. */
  readonly place?: WorkPlace;
  /** Its folder. Default: a neutral one; other kinds must name it. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Trusted file contents: with any other, it does not start. */
  readonly files?: readonly FileContent[];
  /** Its unreviewed files: once something has run there, it does not start. */
  readonly unseen?: Unseen | undefined;
}

/** Stream and limit options; folder and lookup are fixed by the kind. */
export type StartOptions = Omit<SpawnOptions, 'cwd' | 'env' | 'shell'>;

/**
 * Starts a program.
 * @throws HitlError TOOL_FAILED if one of its files differs from its trusted content, BAD_CONFIG if it would
 * start in the session's folder.
 */
export function startProgram(
  kind: ProgramKind,
  given: ProgramStart,
  options: StartOptions = {},
): ChildProcess {
  const { program, args, cwd, env } = lawful(kind, given);
  if (lawsOf(kind).endsWithUs === true && process.platform !== 'win32')
    return startWatched({ program, args, cwd, ...(env && { env }) }, options);
  return spawn(program, [...args], { ...options, cwd, ...(env && { env }), shell: false });
}

/** Runs a short program to its end. */
export function runProgram(
  kind: ProgramKind,
  given: ProgramStart,
  options: { readonly stdio?: StdioOptions; readonly timeout?: number } = {},
): SpawnSyncReturns<string> {
  const { program, args, cwd, env } = lawful(kind, given);
  return spawnSync(program, [...args], {
    ...options,
    cwd,
    ...(env && { env }),
    encoding: 'utf8',
    shell: false,
  });
}

interface Lawful {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A program under the rules of its kind (P2, P3). */
function lawful(kind: ProgramKind, given: ProgramStart): Lawful {
  const { stands, looks, foundOutside } = lawsOf(kind);
  const { args, env, files = [], unseen } = given;
  const guarded = given.place === undefined ? undefined : guardedFolder(given.place);
  const cwd = standing(kind, given);
  if (stands === 'neutral' && liesIn(cwd, guarded))
    throw new HitlError(
      'BAD_CONFIG',
      `${kind}: \`${given.program}\` would start in ${cwd}, which is the session’s folder`,
      {
        hint: 'name another folder with `cwd`, or leave it out',
      },
    );
  const [changed] = changedFiles(files);
  if (changed !== undefined)
    throw new HitlError('TOOL_FAILED', `\`${changed}\` has changed since you trusted it; not started`, {
      hint: 'review it, then start again; hitl asks you to trust it',
    });
  if (unseen !== undefined && unseen.now() !== unseen.mark)
    throw new HitlError(
      'TOOL_FAILED',
      `\`${given.program}\` was not started: since it was trusted, a tool has run in ${unseen.folder}, and ${unseen.why}`,
      { hint: 'review what it loads, then start again; hitl asks you to trust it' },
    );
  switch (looks) {
    case 'absolute':
      return { program: given.program, args, cwd, ...(env && { env: { ...env } }) };
    case 'system':
      return { program: given.program, args, cwd, env: { PATH: SYSTEM_PATH, LC_ALL: 'C' } };
    case 'fixed': {
      const own = env ?? process.env;
      // What was trusted with its folder may be found in it; nothing else may.
      const folders = searchPath(
        own['PATH'],
        stands === 'given' && foundOutside !== true ? undefined : guarded,
      );
      return { program: found(given.program, folders), args, cwd, env: { ...own, PATH: folders, PWD: cwd } };
    }
  }
}

function standing(kind: ProgramKind, { place, cwd }: ProgramStart): string {
  switch (lawsOf(kind).stands) {
    case 'neutral':
      return cwd ?? neutralFolder(place ?? { cwd: process.cwd(), home: '' });
    case 'given':
      return cwd ?? place?.cwd ?? process.cwd();
    case 'root':
      return path.parse(process.cwd()).root;
  }
}

/** Returns a program's absolute path. @throws Error ENOENT if there is none, like the system. */
function found(program: string, folders: string): string {
  if (path.isAbsolute(program)) return program;
  const file = program.includes('/') ? undefined : findInPath(program, folders);
  if (file !== undefined) return file;
  if (process.platform === 'win32' && !program.includes('/')) return program; // found by its extensions
  throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', path: program });
}

type StdioItems = Exclude<StdioOptions, string>;

/** Waits for the end of our side of a pipe, and then kills the group, even if this process was killed. */
const WATCHED = '( exec <&3 3<&- >/dev/null 2>&1; read -r _; kill -KILL 0 ) & exec "$@" 3<&-';

/**
 * Starts a program in its own process group, which does not outlive this process. It gets none of our files,
 * and no terminal.
 * @throws Error like the system if it is missing or not executable: the shell would only return a status
 */
function startWatched(
  { program, args, cwd, env }: Lawful,
  { stdio, ...options }: StartOptions,
): ChildProcess {
  accessSync(program, constants.X_OK);
  const streams: StdioItems = Array.isArray(stdio) ? stdio.slice(0, 3) : ['pipe', 'pipe', 'pipe'];
  const child: ChildProcess = withoutOurFiles((covered) =>
    spawn('/bin/sh', ['-c', WATCHED, 'sh', program, ...args], {
      ...options,
      cwd,
      ...(env && { env }),
      detached: true,
      stdio: [...streams, 'pipe', ...covered.slice(1)],
    }),
  );
  // What it started itself does not outlive it either.
  child.once('exit', () => {
    child.stdio[3]?.destroy();
  });
  return child;
}
