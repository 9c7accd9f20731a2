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
  /** The reason that the files could not be reviewed. */
  readonly why: string;
  /** Identifies the programs that had run in the folder before it was trusted. */
  readonly mark: string;
  /** Identifies the programs that have run in the folder so far. */
  now(): string;
}

/** A program to start. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The working and home folders, from which the neutral folder is determined. */
  readonly place?: WorkPlace;
  /** The program's folder. Default: a neutral folder or the working folder, depending on the kind. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Trusted file contents. If any file has changed, the program does not start. */
  readonly files?: readonly FileContent[];
  /**
   * The folder with files that could not be reviewed. If any program has run in it since it was trusted, the
   * program does not start.
   */
  readonly unseen?: Unseen | undefined;
}

/** Options for `spawn`, except those determined by the program and its kind. */
export type StartOptions = Omit<SpawnOptions, 'cwd' | 'env' | 'shell'>;

/**
 * Starts a program.
 * @throws HitlError TOOL_FAILED if one of its files no longer matches the trusted content or something has
 * run in its unreviewed folder; BAD_CONFIG if it requires a neutral folder but would start in the session's
 * folder.
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

/** Runs a short program and waits for it to exit. */
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

/** Checks a program against the rules for its kind (P2, P3) and returns the resolved command to run. */
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
        hint: 'set `cwd` to another folder, or leave it out',
      },
    );
  const [changed] = changedFiles(files);
  if (changed !== undefined)
    throw new HitlError('TOOL_FAILED', `\`${changed}\` has changed since you trusted it; not started`, {
      hint: 'review it, then start again; hitl will ask you to trust it',
    });
  if (unseen !== undefined && unseen.now() !== unseen.mark)
    throw new HitlError(
      'TOOL_FAILED',
      `\`${given.program}\` was not started: since it was trusted, a tool has run in ${unseen.folder}, and ${unseen.why}`,
      { hint: 'review what it loads, then start again; hitl will ask you to trust it' },
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

/**
 * Returns the absolute path of a program.
 * @throws Error ENOENT if it is not found, like `spawn`
 */
function found(program: string, folders: string): string {
  if (path.isAbsolute(program)) return program;
  const file = program.includes('/') ? undefined : findInPath(program, folders);
  if (file !== undefined) return file;
  if (process.platform === 'win32' && !program.includes('/')) return program; // found by its extensions
  throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', path: program });
}

type StdioItems = Exclude<StdioOptions, string>;

/**
 * Shell script that runs a program and kills its process group when our end of a pipe closes. This works even
 * if our process was killed.
 */
const WATCHED = '( exec <&3 3<&- >/dev/null 2>&1; read -r _; kill -KILL 0 ) & exec "$@" 3<&-';

/**
 * Starts a program in its own process group, which does not outlive this process. The program gets neither
 * our open files nor a terminal.
 * @throws Error with the system's error code if the program is missing or not executable, because the shell
 * would only return an exit status
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
