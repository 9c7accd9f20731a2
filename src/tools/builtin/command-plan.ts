import { readFile } from 'node:fs/promises';

import type { ApprovalRequest } from '../../core/index.js';
import { commandWords, HitlError, NOT_BY_WORDS, sha256 } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { placeOf } from '../../files/index.js';
import type { Sandbox, SandboxState } from '../sandbox/index.js';
import { missing } from '../sandbox/index.js';

import { commandEnvironment } from './command-environment.js';
import { findProgram, findShell, searchFolders } from './find-program.js';
import { MARKER } from './left-behind.js';
import type { BuiltinOptions } from './options.js';
import { placeWarnings } from './read-request.js';

/** The command that is asked for. */
export interface Command {
  readonly command?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly network: boolean;
}

/** A command with everything resolved: what is shown is what runs (T4). */
export interface CommandPlan {
  readonly place: Place;
  readonly program: string;
  readonly args: readonly string[];
  /** The file behind the program's links; absent for shell text. */
  readonly real?: string;
  /** Of the program where it is a file of the working directory: whoever works there can change it. */
  readonly sha256?: string;
  /** Folders of the search path that lie in the working directory: what they hold runs by its mere name. */
  readonly projectFolders: readonly string[];
  /** Names of the variables that it gets. */
  readonly variables: readonly string[];
  readonly sandbox: SandboxState;
}

/**
 * Resolves a command: all that decides what it does, as far as it can be known.
 * @throws HitlError TOOL_FAILED where it cannot run.
 */
export async function planCommand(
  { command, argv, cwd }: Command,
  options: BuiltinOptions,
  sandbox: Sandbox,
): Promise<CommandPlan> {
  const state = await sandbox.state();
  if (state.type === 'missing' && state.required) throw missing(state.why);
  const place = await placeOf(cwd, options);
  const variables = Object.keys(commandEnvironment(options, state.type === 'on')).sort();
  const around = {
    place,
    sandbox: state,
    projectFolders: await projectFolders(options),
    variables: state.type === 'on' ? variables : [...variables, MARKER].sort(),
  };
  if (command !== undefined) return { ...around, program: await findShell(), args: ['-c', command] };
  const [name = '', ...args] = argv ?? [];
  const found = await findProgram(name, place.path, options.env['PATH'] ?? '');
  if (found === undefined) throw new HitlError('TOOL_FAILED', `there is no program \`${name}\``);
  const inProject = isOfProject(await placeOf(found.real, options));
  return {
    ...around,
    program: found.path,
    args,
    real: found.real,
    ...(inProject && { sha256: sha256(await readFile(found.real)) }),
  };
}

/** Says what a person is told of a command before it runs; a change of a fact asks again. */
export function requestOf(plan: CommandPlan, { command, timeoutMs, network }: Command): ApprovalRequest {
  const { place, program, real, sha256, projectFolders, variables, sandbox } = plan;
  const isShell = command !== undefined;
  const isOn = sandbox.type === 'on';
  const unlikeWords = whyUnlikeWords(plan);
  const warnings = [
    // A warning on every command warns of nothing: plain words do what they say.
    ...(isShell && commandWords({ command }).words === undefined
      ? [
          `shell text cannot be analysed: it may do anything that ${isOn ? 'its sandbox lets it' : 'you may do'}`,
        ]
      : []),
    ...placeWarnings(place, 'it runs outside the working directory'),
    ...(sha256 === undefined ? [] : ['the program is a file of the working directory']),
    ...(projectFolders.length === 0 ? [] : ['the search path leads into the working directory']),
    ...sandboxWarnings(sandbox),
    ...(isOn && network ? ['it may use the network, and send what it reads'] : []),
  ];
  return {
    facts: {
      'working directory': place.path,
      ...(isShell
        ? { shell: program }
        : { program: real === program ? program : `${program} → ${real ?? ''}` }),
      ...(sha256 !== undefined && { 'program of the working directory': `sha256 ${sha256}` }),
      ...(projectFolders.length > 0 && { 'search path of the working directory': projectFolders.join(' ') }),
      ...(unlikeWords !== undefined && { [NOT_BY_WORDS]: `do not count: ${unlikeWords}` }),
      sandbox: sandboxFact(sandbox, network),
      environment: variables.join(' '),
      'time limit': `${timeoutMs / 1000} s`,
    },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Says what makes a command another one than its words say, so that no rule can know it by them. */
function whyUnlikeWords({ place, sha256, projectFolders }: CommandPlan): string | undefined {
  if (!place.inside) return 'it does not run inside the working directory';
  if (sha256 !== undefined) return 'the program is a file of the working directory';
  return projectFolders.length > 0 ? 'the search path leads into the working directory' : undefined;
}

function sandboxFact(sandbox: SandboxState, network: boolean): string {
  switch (sandbox.type) {
    case 'on':
      return `writes ${sandbox.writable ? 'here' : 'nowhere'}, ${network ? 'uses the network' : 'no network'}`;
    case 'off':
      return 'off';
    case 'missing':
      return 'none';
  }
}

/** Without a sandbox a command of this user reaches the key in this program's environment too. */
function sandboxWarnings(sandbox: SandboxState): readonly string[] {
  const reaches = 'it may write anywhere, use the network and read the keys of this program';
  switch (sandbox.type) {
    case 'on':
      return [];
    case 'off':
      return [`the sandbox is off: ${reaches}`];
    case 'missing':
      return [`there is no sandbox (${sandbox.why}): ${reaches}`];
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

/** In a home directory, too, where nothing counts as inside. */
function isOfProject({ inside, wide }: Place): boolean {
  return inside || wide !== undefined;
}
