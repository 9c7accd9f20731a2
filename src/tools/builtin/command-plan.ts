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
  /** Whether a person is asked, and it runs in the folder itself. */
  readonly ask?: boolean | undefined;
}

/** A command with everything resolved: what is shown is what runs (T4). */
export interface CommandPlan {
  readonly place: Place;
  readonly program: string;
  readonly args: readonly string[];
  /** Real path of the program; absent for shell text. */
  readonly real?: string;
  /** Of a program file in the working directory, which can change. */
  readonly sha256?: string;
  /** Search path folders in the working directory: their programs run by name alone. */
  readonly projectFolders: readonly string[];
  /** Names of the variables that it gets. */
  readonly variables: readonly string[];
  readonly sandbox: SandboxState;
  /** Whether it runs where it can change and send nothing: then nobody is asked. */
  readonly onlyReads: boolean;
  /** Whether it runs in a copy of the working directory, from which files come back. */
  readonly inCopy: boolean;
  /**
   * Arguments that may be paths not readable without asking: outside the working directory, or names of key
   * files.
   */
  readonly needALook: readonly string[];
  /** Why git may run another program here; absent for other programs. */
  readonly git?: string;
  /** Files started or loaded here that the command could change; for display. */
  readonly exposed: readonly string[];
}

/**
 * Resolves a command: everything that determines what it does, as far as it can be known.
 * @param isSmall whether the working directory is small enough to be copied
 * @throws HitlError TOOL_FAILED if it cannot run.
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

/** Returns what to show about a command before it runs; a changed detail asks again. */
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
            : [`can change what hitl starts or loads here: ${listed(plan.exposed)}`]),
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

/** Explains why a command is not what its words suggest, so that no rule can identify it by them. */
function whyUnlikeWords({ place, sha256, projectFolders, git }: CommandPlan): string | undefined {
  if (!place.inside) return 'the command runs outside the working directory';
  if (sha256 !== undefined) return 'the program is in the working directory';
  return projectFolders.length > 0 ? 'the search path leads into the working directory' : git;
}

/** Maximum number that are named one by one. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** The input as rules read it. */
function inputOf({ command, argv }: Pick<Command, 'command' | 'argv'>): JsonObject {
  return command === undefined ? { argv: [...(argv ?? [])] } : { command };
}

/** A repository can name programs that git runs, and any folder can resemble one. */
function gitProblem([program = '', first = '']: readonly string[] = [], { path }: Place): string | undefined {
  if (programName(program) !== 'git') return undefined;
  const why = first.startsWith('-') ? `\`${first}\` points it to another repository` : gitRunsMore(path);
  return why === undefined ? undefined : `git may run another program: ${why}`;
}

/** The files of the working folder that this program starts or loads, by name. */
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

/** Without a sandbox, a command can also read the key in this program's environment. */
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
 * Returns such paths among the arguments. Shell text other than a simple command is never allowed by a
 * prefix.
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
 * Returns path-like ends of an argument that is not an existing path: programs also accept one after a
 * letter, like sed in `r.env` and `w../out`.
 */
async function pathsWithin(word: string, folder: string): Promise<readonly string[]> {
  const parts = [word, ...partsOf(word)];
  const there = await Promise.all(parts.map(async (part) => isPath(part) && isThere(resolve(folder, part))));
  if (there.includes(true)) return [];
  const starts = [...word.matchAll(/[./~]/gu)].map(({ index }) => word.slice(index)).filter(isPath);
  const found = await Promise.all(starts.map(async (start) => ((await isSomewhere(start)) ? [start] : [])));
  return found.flat();
}

/** Whether an absolute path exists or could be created, unlike `/main` of `origin/main`. */
async function isSomewhere(start: string): Promise<boolean> {
  if (!start.startsWith('/') || (await isThere(start))) return true;
  const folder = dirname(start);
  return folder !== '/' && isThere(folder);
}

/** Returns every part of an argument that a program may read as a path: `--file=a`, `HEAD:a`, `@a`, `-fa`. */
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
 * Returns every end of letters after one `-`: any of them may take the rest as its value, like `-uf` of
 * `-ufa`. Only existing ones count: otherwise every key-like end would.
 */
function clustersIn(word: string): readonly string[] {
  const cluster = [word, ...partsOf(word)].find((part) => /^-[^-]/u.test(part)) ?? '';
  return Array.from({ length: Math.max(cluster.length - 2, 0) }, (_, index) => cluster.slice(index + 2));
}

/** Ends of an argument looked up in the folder. */
const MOST_CLUSTERED = 1000;

function isPath(part: string): boolean {
  return part !== '' && part.split('/').every((name) => Buffer.byteLength(name) <= LONGEST_NAME);
}

/** Links count, wherever they lead, and so do entries that cannot be checked. */
async function isThere(file: string): Promise<boolean> {
  if (file.includes('\0')) return false;
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '');
  }
}

/** Longest file name, in bytes: a longer word is not one. */
const LONGEST_NAME = 255;

async function leadsOut(file: string, options: BuiltinOptions): Promise<boolean> {
  if (file.includes('\0')) return false;
  try {
    return !isFree(await placeOf(file, options));
  } catch {
    return true; // where it leads cannot be told
  }
}

/** Whether a file belongs to the project, also in a home directory, which is never “inside”. */
function isOfProject({ inside, wide }: Place): boolean {
  return inside || wide !== undefined;
}
