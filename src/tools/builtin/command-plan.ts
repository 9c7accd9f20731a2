import { lstat, readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';

import type { ApprovalRequest, JsonObject } from '../../core/index.js';
import {
  commandWords,
  errnoOf,
  HitlError,
  IN_COPY,
  NEEDS_A_LOOK,
  noSandbox,
  NOT_BY_WORDS,
  ONLY_READS,
  pathsToLookAt,
  present,
  programName,
  SANDBOX,
  SANDBOX_OFF,
  sha256,
  spellsMore,
} from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { isBelow, isFree, placeOf } from '../../files/index.js';
import { gitRunsMore } from '../../programs/index.js';
import { whyNotCopied } from '../sandbox/folder-copy.js';
import type { Sandbox, SandboxState } from '../sandbox/sandbox.js';
import { missing } from '../sandbox/sandbox.js';

import { commandEnvironment } from './command-environment.js';
import { findProgram, findShell, searchFolders } from './find-program.js';
import { MARKER } from './left-behind.js';
import type { BuiltinOptions } from './builtin-options.js';
import { placeWarnings } from './read-request.js';

/** A requested command. */
export interface Command {
  readonly command?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly network: boolean;
  readonly writes: boolean;
  /** Whether to ask the user and run the command in the folder itself instead of a copy. */
  readonly ask?: boolean | undefined;
}

/** A command with everything resolved, so that the user is shown exactly what runs (T4). */
export interface CommandPlan {
  readonly place: Place;
  readonly program: string;
  readonly args: readonly string[];
  /** Real path of the program; absent for shell text. */
  readonly real?: string;
  /** Digest of the program file, if it is in the working directory and can therefore change. */
  readonly sha256?: string;
  /** Folders on the search path that are in the working directory. Their programs can be run by name. */
  readonly projectFolders: readonly string[];
  /** Names of the variables passed to the command. */
  readonly variables: readonly string[];
  readonly sandbox: SandboxState;
  /**
   * Whether the command runs without approval in a sandbox in which it can neither change nor send anything.
   */
  readonly onlyReads: boolean;
  /** Whether the command runs in a copy of the working directory, from which files are copied back. */
  readonly inCopy: boolean;
  /**
   * Arguments that may be paths requiring approval to read, because they are outside the working directory or
   * are names of files that often contain keys.
   */
  readonly needALook: readonly string[];
  /**
   * The reason that git may run another program in this folder. Absent if there is none, and for programs
   * other than git.
   */
  readonly git?: string;
  /**
   * Files in the working directory that hitl starts or loads and that the command could change, to show in a
   * warning.
   */
  readonly exposed: readonly string[];
}

/**
 * Resolves everything that determines what a command does, as far as possible.
 * @param isSmall returns whether the working directory is small enough to be copied
 * @throws HitlError TOOL_FAILED if the command cannot run.
 */
export async function planCommand(
  input: Command,
  options: BuiltinOptions,
  sandbox: Sandbox,
  isSmall: () => Promise<boolean>,
): Promise<CommandPlan> {
  const { command, argv, cwd } = input;
  const state = await sandbox.state();
  if (state.type === 'missing' && state.required) throw missing(state.why);
  const place = await placeOf(cwd, options);
  const isSandboxed = state.type === 'on';
  const reading = async (
    program: string,
  ): Promise<Pick<CommandPlan, 'onlyReads' | 'inCopy' | 'variables'>> => {
    const mayCopy = input.writes && input.ask !== true && options.copies?.isOn() === true;
    const isHeld =
      isSandboxed &&
      !input.network &&
      input.ask !== true &&
      (!input.writes || mayCopy) &&
      (await sandbox.whyNotReading(place.path, program)) === undefined;
    const inCopy = isHeld && mayCopy && (await whyNotCopied(options.cwd, isSmall)) === undefined;
    const onlyReads = isHeld && !input.writes;
    if (!onlyReads && !inCopy) await sandbox.check(place.path, program);
    const room = onlyReads ? 'reading' : inCopy ? 'copy' : isSandboxed ? 'sandbox' : 'open';
    const names = Object.keys(commandEnvironment(options, room));
    return { onlyReads, inCopy, variables: (isSandboxed ? names : [...names, MARKER]).sort() };
  };
  const around = {
    place,
    sandbox: state,
    projectFolders: await projectFolders(options),
    needALook: await needALook(commandWords(inputOf({ command, argv })).words, place, options),
    exposed: isSandboxed ? [] : exposed(options),
    ...present({ git: gitProblem(commandWords(inputOf({ command, argv })).words, place) }),
  };
  if (command !== undefined) {
    const program = await findShell();
    return { ...around, ...(await reading(program)), program, args: ['-c', command] };
  }
  const [name = '', ...args] = argv ?? [];
  const found = await findProgram(name, place.path, options.env['PATH'] ?? '');
  if (found === undefined) throw new HitlError('TOOL_FAILED', `program not found: \`${name}\``);
  // A link of another name is git too.
  const behind = programName(found.real) === 'git' ? gitProblem([found.real, ...args], place) : undefined;
  const inProject = isOfProject(await placeOf(found.real, options));
  return {
    ...around,
    ...(await reading(found.real)),
    program: found.path,
    args,
    real: found.real,
    ...present({ git: behind ?? around.git }),
    ...(inProject && { sha256: sha256(await readFile(found.real)) }),
  };
}

/** Returns the details to show before a command runs. If any of them changes, the user is asked again. */
export function requestOf(plan: CommandPlan, { command, timeoutMs, network }: Command): ApprovalRequest {
  const { place, program, real, sha256, projectFolders, variables, sandbox, needALook: paths } = plan;
  const isShell = command !== undefined;
  const isOn = sandbox.type === 'on';
  const unlikeWords = whyUnlikeWords(plan);
  const warnings =
    plan.onlyReads || plan.inCopy
      ? []
      : [
          // A warning on every command warns of nothing: plain words do what they say.
          ...(isShell && commandWords({ command }).words === undefined
            ? [`Too complex to check. It can do anything ${isOn ? 'the sandbox allows' : 'you can'}.`]
            : []),
          ...placeWarnings(place, 'runs outside the working directory'),
          ...(sha256 === undefined ? [] : ['runs a program from the working directory']),
          ...(projectFolders.length === 0 ? [] : ['the search path leads into the working directory']),
          ...sandboxWarnings(sandbox),
          ...(plan.exposed.length === 0
            ? []
            : [`can change files that hitl starts or loads: ${listed(plan.exposed)}`]),
          ...(isOn && network ? ['can use the network and send out what it reads'] : []),
        ];
  return {
    facts: {
      'working directory': place.path,
      ...(isShell
        ? { shell: program }
        : { program: real === program ? program : `${program} → ${real ?? ''}` }),
      ...(sha256 !== undefined && { 'program of the working directory': `sha256 ${sha256}` }),
      ...(projectFolders.length > 0 && { 'search path of the working directory': projectFolders.join(' ') }),
      ...(unlikeWords !== undefined && { [NOT_BY_WORDS]: `ignored: ${unlikeWords}` }),
      ...(paths.length > 0 && { [NEEDS_A_LOOK]: pathsToLookAt(paths) }),
      [SANDBOX]: plan.onlyReads ? ONLY_READS : plan.inCopy ? IN_COPY : sandboxFact(sandbox, network),
      environment: variables.join(' '),
      'time limit': `${timeoutMs / 1000} s`,
    },
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Returns the reason that a command may do something other than its words suggest, in which case rules must
 * not match it by its words. Returns `undefined` if there is none.
 */
function whyUnlikeWords({ place, sha256, projectFolders, git }: CommandPlan): string | undefined {
  if (!place.inside) return 'the command runs outside the working directory';
  if (sha256 !== undefined) return 'the program is in the working directory';
  return projectFolders.length > 0 ? 'the search path leads into the working directory' : git;
}

/** Maximum number of items to list by name. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Returns a command as input in the form that rules match. */
function inputOf({ command, argv }: Pick<Command, 'command' | 'argv'>): JsonObject {
  return command === undefined ? { argv: [...(argv ?? [])] } : { command };
}

/**
 * Returns the reason that git may run another program, or `undefined` if there is none. A repository can
 * configure programs for git to run, and any folder can be made to look like a repository.
 */
function gitProblem([program = '', first = '']: readonly string[] = [], { path }: Place): string | undefined {
  if (programName(program) !== 'git') return undefined;
  const why = first.startsWith('-') ? `\`${first}\` may point it to another repository` : gitRunsMore(path);
  return why === undefined ? undefined : `git may run another program: ${why}`;
}

/** Returns the relative paths of the files in the working directory that hitl starts or loads. */
function exposed({ starts = () => [], cwd }: BuiltinOptions): readonly string[] {
  const here = starts().filter(({ path, names }) => names !== true && isBelow(path, cwd));
  return [...new Set(here.map(({ path }) => relative(cwd, path)))];
}

function sandboxFact(sandbox: SandboxState, network: boolean): string {
  switch (sandbox.type) {
    case 'on':
      return `can write in this folder, ${network ? 'network access' : 'no network'}`;
    case 'off':
      return 'off';
    case 'missing':
      return 'none';
  }
}

/**
 * Returns a warning if commands run without a sandbox. They can then even read keys in the environment of
 * this process.
 */
function sandboxWarnings(sandbox: SandboxState): readonly string[] {
  switch (sandbox.type) {
    case 'on':
      return [];
    case 'off':
      return [SANDBOX_OFF];
    case 'missing':
      return [noSandbox(sandbox.why)];
  }
}

async function projectFolders(options: BuiltinOptions): Promise<readonly string[]> {
  const folders = [...new Set(searchFolders(options.env['PATH'] ?? ''))];
  const places = await Promise.all(folders.map((folder) => placeOf(folder, options).catch(() => undefined)));
  return folders.filter((_, index) => {
    const place = places[index];
    return place !== undefined && isOfProject(place);
  });
}

/**
 * Returns the arguments that may be paths requiring approval to read. Returns none for shell text other than
 * a simple command, because rules for command prefixes never allow such text.
 */
async function needALook(
  [, ...args]: readonly string[] = [],
  { path, inside }: Place,
  options: BuiltinOptions,
): Promise<readonly string[]> {
  if (!inside) return []; // words do not count there at all
  const looks = await Promise.all(
    [...new Set(args)].map(async (word) => {
      if (spellsMore(word)) return []; // asked about wherever it leads
      const clustered = clustersIn(word);
      const spoken = word.split(/\s+/u);
      const within = (await Promise.all(spoken.map((part) => pathsWithin(part, path)))).flat();
      if (clustered.length + within.length > MOST_CLUSTERED) return [word]; // where each of them leads is too much to look at
      const ends = await Promise.all(
        clustered.map(async (end) => ((await isThere(resolve(path, end))) ? [end] : [])),
      );
      const found = await Promise.all(
        [...[word, ...spoken].flatMap(pathsIn), ...within, ...ends.flat()].map((part) =>
          leadsOut(part.startsWith('~/') ? part : resolve(path, part), options),
        ),
      );
      return found.includes(true) ? [word] : [];
    }),
  );
  return looks.flat();
}

/**
 * Returns the endings of an argument that may be paths, unless the argument is itself an existing path.
 * Programs also accept a path directly after a letter, as sed does in `r.env` and `w../out`.
 */
async function pathsWithin(word: string, folder: string): Promise<readonly string[]> {
  const parts = [word, ...partsOf(word)];
  const there = await Promise.all(parts.map(async (part) => isPath(part) && isThere(resolve(folder, part))));
  if (there.includes(true)) return [];
  const starts = [...word.matchAll(/[./~]/gu)].map(({ index }) => word.slice(index)).filter(isPath);
  const found = await Promise.all(starts.map(async (start) => ((await isSomewhere(start)) ? [start] : [])));
  return found.flat();
}

/** Whether an absolute path exists or could be created, unlike `/main` in `origin/main`. */
async function isSomewhere(start: string): Promise<boolean> {
  if (!start.startsWith('/') || (await isThere(start))) return true;
  const folder = dirname(start);
  return folder !== '/' && isThere(folder);
}

/**
 * Returns the parts of an argument that a program may read as a path, such as in `--file=a`, `HEAD:a`, `@a`
 * and `-fa`.
 */
function pathsIn(word: string): readonly string[] {
  const parts = partsOf(word);
  const [attached] = /^-[^-].*?(?=[/.~])/u.exec(word) ?? [];
  const option = /^-[^-]/u.test(word) ? [word.slice(2)] : [];
  return [word, ...parts, ...option, ...(attached === undefined ? [] : [word.slice(attached.length)])].filter(
    isPath,
  );
}

function partsOf(word: string): readonly string[] {
  return [...word.matchAll(/[=:,@;<>]/gu)].map(({ index }) => word.slice(index + 1));
}

/**
 * Returns the possible option values in a group of short options: in `-ufa`, `fa` may be the value of `-u`,
 * and `a` the value of `-f`. The caller uses only existing paths, because otherwise every ending that
 * resembles a key file would match.
 */
function clustersIn(word: string): readonly string[] {
  const cluster = [word, ...partsOf(word)].find((part) => /^-[^-]/u.test(part)) ?? '';
  return Array.from({ length: Math.max(cluster.length - 2, 0) }, (_, index) => cluster.slice(index + 2));
}

/** Maximum number of endings to look up for one argument. */
const MOST_CLUSTERED = 1000;

function isPath(part: string): boolean {
  return part !== '' && part.split('/').every((name) => Buffer.byteLength(name) <= LONGEST_NAME);
}

/**
 * Whether a path exists. Links are treated as existing even if their targets do not exist, as are entries
 * that cannot be checked.
 */
async function isThere(file: string): Promise<boolean> {
  if (file.includes('\0')) return false;
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '');
  }
}

/** Maximum length of a file name, in bytes. A longer word cannot be a file name. */
const LONGEST_NAME = 255;

async function leadsOut(file: string, options: BuiltinOptions): Promise<boolean> {
  if (file.includes('\0')) return false;
  try {
    return !isFree(await placeOf(file, options));
  } catch {
    return true; // where it leads cannot be told
  }
}

/**
 * Whether a file belongs to the project. A working directory such as the home directory is too wide for its
 * files to be considered “inside”, but they still belong to the project.
 */
function isOfProject({ inside, wide }: Place): boolean {
  return inside || wide !== undefined;
}
