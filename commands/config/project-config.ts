import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HitlError, sha256 } from '../../src/core/index.js';
import type { LoadedConfig } from './config-file.js';
import { configFrom } from './config-file.js';
import type { Config, ConfigKey } from '../settings/index.js';
import { isConfigKey, SETTINGS } from '../settings/index.js';
import type { Io } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { FileContent } from '../trust/index.js';
import { areTrusted, foundBytes, isTrusted, moduleClosure } from '../trust/index.js';
import { LOCAL_FILE, nearest, PROJECT_FILE, PROJECT_MODULE } from './project-place.js';

export interface ProjectConfig extends LoadedConfig {
  /** False: nothing of it is in force. */
  readonly trusted: boolean;
}

const WHAT = 'this folder’s configuration';
const LOCAL_WHAT = 'the local configuration of this folder';
const OTHERWISE = 'or go on without it: --no-trust';
const CODE = 'code that runs with your rights as soon as it is loaded';

/**
 * The configuration of the project that the working directory lies in, `hitl.config.json` or `hitl.config.ts`; nothing of
 * it counts, and no module is run, before it is trusted (G34). Without `mode` nobody is asked, and what is not trusted
 * does not count. Under `--no-trust` it is not even read.
 * @throws HitlError USAGE where nobody can be asked, BAD_CONFIG naming every key that does not fit, or both files.
 */
export async function loadProjectConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const { folder, found } = nearest(io.cwd, [PROJECT_FILE, PROJECT_MODULE]);
  const [first = PROJECT_FILE, second] = found;
  if (second !== undefined && flags.trust !== false) {
    const [one, other] = [join(folder, first), join(folder, second)];
    throw new HitlError('BAD_CONFIG', `this folder has both \`${one}\` and \`${other}\``, {
      hint: 'keep one of them: nobody could tell which one counts',
    });
  }
  const path = join(folder, first);
  const project: Project = { io, flags, mode, what: WHAT };
  return first === PROJECT_MODULE ? fromModule(project, path) : fromJson(project, path);
}

/**
 * Your own configuration beside that of the project, `hitl.config.local.json`. A repository could bring one, so it is
 * trusted first too.
 * @throws HitlError USAGE, BAD_CONFIG as that of the project.
 */
export async function loadLocalConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const { folder } = nearest(io.cwd, [LOCAL_FILE]);
  return fromJson({ io, flags, mode, what: LOCAL_WHAT }, join(folder, LOCAL_FILE));
}

interface Project {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly mode: Mode | undefined;
  readonly what: string;
}

async function fromJson(project: Project, path: string): Promise<ProjectConfig> {
  if (project.flags.trust === false) return unread(path);
  const bytes = foundBytes(path);
  if (bytes === undefined) return unread(path);
  const { config, lineOf } = await configFrom(bytes.toString('utf8'), path);
  const files = [{ path, sha256: sha256(bytes) }, ...modulesOf(path, config)];
  const trusted = await agreed(project, files, linesOf(config));
  return { path, config: trusted ? config : {}, exists: true, trusted, lineOf };
}

function unread(path: string): ProjectConfig {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return { path, config: {}, exists, trusted: false };
}

/** A module has to be run before anybody knows what it says: it is trusted first, and then the modules that it names. */
async function fromModule(project: Project, path: string): Promise<ProjectConfig> {
  const none = { path, config: {}, exists: true, trusted: false };
  if (project.flags.trust === false) return none;
  if (!(await agreed(project, moduleClosure(path), [CODE]))) return none;
  const { checkConfig } = await import('./config-schema.js');
  const { loadModule } = await import('../../src/tools/index.js');
  const { exports } = await loadModule(path, 'a configuration', {
    cwd: project.io.cwd,
    library: () => import('../../src/index.js'),
  });
  const config = checkConfig('default' in exports ? exports.default : undefined, path);
  const modules = modulesOf(path, config);
  const trusted = modules.length === 0 || (await agreed(project, modules, linesOf(config)));
  return trusted ? { path, config, exists: true, trusted } : none;
}

/** The tool modules that a configuration names, relative to its folder, with what they import. */
function modulesOf(path: string, { tools = [] }: Config): readonly FileContent[] {
  return tools.flatMap((module) => moduleClosure(resolve(dirname(path), module)));
}

async function agreed(
  { io, flags, mode, what }: Project,
  files: readonly FileContent[],
  lines: readonly string[],
): Promise<boolean> {
  // Nobody is asked and nothing is kept: what a run would have, were it trusted.
  if (mode === undefined) return flags.trust === true || areTrusted(io, files);
  return isTrusted(io, flags, mode, { what, files, lines, otherwise: OTHERWISE });
}

/** Each key with its value, and what it may do. */
function linesOf(config: Config): readonly string[] {
  const dangers: Readonly<Partial<Record<ConfigKey, string>>> = {
    tools: CODE,
    notify: 'a program that runs with your rights when a question waits',
    model: 'who is asked',
    baseUrl: 'where everything that is said is sent, and your key',
    system: 'what the model is told to be',
    rules: 'what is asked about or denied; a project cannot allow',
  };
  return Object.entries(config).map(([key, value]) => {
    const does = isConfigKey(key) ? (dangers[key] ?? SETTINGS[key].about) : '';
    return `${key}: ${JSON.stringify(value)}  (${does})`;
  });
}
