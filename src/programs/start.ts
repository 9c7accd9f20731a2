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

/** A folder that a program loads files from at which nobody looked. */
export interface Unseen {
  readonly folder: string;
  /** Says why they could not be looked at. */
  readonly why: string;
  /** Names what had run there when somebody agreed to it. */
  readonly mark: string;
  /** Names what has run there by now. */
  now(): string;
}

/** A program to start. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The place that the session works in; what is neutral is decided by it. */
  readonly place?: WorkPlace;
  /** The folder that it stands in. Default: the neutral one; a kind that stands elsewhere names it. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Its files as they were trusted: another content is not started. */
  readonly files?: readonly FileContent[];
  /** What it loads unseen: once something has run there, it is not started. */
  readonly unseen?: Unseen | undefined;
}

/** What a start may say of streams and limits; where a program stands and what it is found by is not among it. */
export type StartOptions = Omit<SpawnOptions, 'cwd' | 'env' | 'shell'>;

/**
 * Starts a program.
 * @throws HitlError TOOL_FAILED where one of its files is not as it was trusted, BAD_CONFIG where it would stand in what the session works on.
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

/** Runs a program to its end; for what takes a moment. */
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

/** The program as the laws of its kind have it (P2, P3). */
function lawful(kind: ProgramKind, given: ProgramStart): Lawful {
  const { stands, looks } = lawsOf(kind);
  const { args, env, files = [], unseen } = given;
  const guarded = given.place === undefined ? undefined : guardedFolder(given.place);
  const cwd = standing(kind, given);
  if (stands === 'neutral' && liesIn(cwd, guarded))
    throw new HitlError(
      'BAD_CONFIG',
      `${kind}: \`${given.program}\` would start in ${cwd}, which the session works on`,
      {
        hint: 'name another folder with `cwd`, or leave it out',
      },
    );
  const [changed] = changedFiles(files);
  if (changed !== undefined)
    throw new HitlError('TOOL_FAILED', `\`${changed}\` is not as it was trusted, so it was not started`, {
      hint: 'look at it, then begin again: you are asked about it',
    });
  if (unseen !== undefined && unseen.now() !== unseen.mark)
    throw new HitlError(
      'TOOL_FAILED',
      `\`${given.program}\` was not started: since it was trusted, a tool has run in ${unseen.folder}, and ${unseen.why}`,
      { hint: 'look at what it loads, then begin again: you are asked about it' },
    );
  switch (looks) {
    case 'absolute':
      return { program: given.program, args, cwd, ...(env && { env: { ...env } }) };
    case 'system':
      return { program: given.program, args, cwd, env: { PATH: SYSTEM_PATH, LC_ALL: 'C' } };
    case 'fixed': {
      const own = env ?? process.env;
      // What was trusted with its folder may be found in it; nothing else may.
      const folders = searchPath(own['PATH'], stands === 'given' && kind !== 'git' ? undefined : guarded);
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

/** A program by its absolute path. @throws Error ENOENT where there is none, as the system says it. */
function found(program: string, folders: string): string {
  if (path.isAbsolute(program)) return program;
  const file = program.includes('/') ? undefined : findInPath(program, folders);
  if (file !== undefined) return file;
  if (process.platform === 'win32' && !program.includes('/')) return program; // found by its extensions
  throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', path: program });
}

type StdioItems = Exclude<StdioOptions, string>;

/** Waits for the end of our side of a line, and ends the group then: also where this process was killed. */
const WATCHED = '( exec <&3 3<&- >/dev/null 2>&1; read -r _; kill -KILL 0 ) & exec "$@" 3<&-';

/**
 * Starts a program that leads a group of its own, of which nothing outlives this process. It gets none of our files, and no
 * terminal.
 * @throws Error as the system has it where the program is not there, or is not ours to run: the shell would end with a status
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
