import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HitlError, sha256 } from '../../src/core/index.js';
import type { LoadedConfig } from './config-file.js';
import { configFrom } from './config-file.js';
import { foundBytes } from './found-file.js';
import type { Config, ConfigKey } from '../settings/index.js';
import { isConfigKey, SETTINGS } from '../settings/index.js';
import type { Io } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { FileContent } from './trust-store.js';
import { moduleClosure } from './module-closure.js';
import { areTrusted, isTrusted } from './trust.js';

export interface ProjectConfig extends LoadedConfig {
  /** False: nothing of it is in force. */
  readonly trusted: boolean;
}

const WHAT = 'this folder’s configuration';
const OTHERWISE = 'or go on without it: --no-trust';
const CODE = 'code that runs with your rights as soon as it is loaded';

/**
 * The working directory's own configuration, `hitl.config.json` or `hitl.config.ts`; nothing of it counts, and no
 * module is run, before it is trusted (G34). Without `mode` nobody is asked, and what is not trusted does not count. Under
 * `--no-trust` it is not even read.
 * @throws HitlError USAGE where nobody can be asked, BAD_CONFIG naming every key that does not fit, or both files.
 */
export async function loadProjectConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const [json, module] = [join(io.cwd, 'hitl.config.json'), join(io.cwd, 'hitl.config.ts')];
  if (flags.trust === false) return unread(json, module);
  const [text, code] = [foundBytes(json), foundBytes(module)];
  if (text !== undefined && code !== undefined) {
    throw new HitlError('BAD_CONFIG', `this folder has both \`${json}\` and \`${module}\``, {
      hint: 'keep one of them: nobody could tell which one counts',
    });
  }
  const project: Project = { io, flags, mode };
  if (text !== undefined) return fromJson(project, json, text);
  if (code !== undefined) return fromModule(project, module);
  return { path: json, config: {}, exists: false, trusted: false };
}

function unread(...paths: readonly [string, string]): ProjectConfig {
  const found = paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  return { path: found ?? paths[0], config: {}, exists: found !== undefined, trusted: false };
}

interface Project {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly mode: Mode | undefined;
}

async function fromJson(project: Project, path: string, bytes: Buffer): Promise<ProjectConfig> {
  const config = await configFrom(bytes, path);
  const files = [{ path, sha256: sha256(bytes) }, ...modulesOf(project, config)];
  const trusted = await agreed(project, files, linesOf(config));
  return { path, config: trusted ? config : {}, exists: true, trusted, text: bytes.toString('utf8') };
}

/** A module has to be run before anybody knows what it says: it is trusted first, and then the modules that it names. */
async function fromModule(project: Project, path: string): Promise<ProjectConfig> {
  const none = { path, config: {}, exists: true, trusted: false };
  if (!(await agreed(project, moduleClosure(path), [CODE]))) return none;
  const { checkConfig } = await import('./config-schema.js');
  const { loadModule } = await import('../../src/tools/index.js');
  const { exports } = await loadModule(path, 'a configuration', {
    cwd: project.io.cwd,
    library: () => import('../../src/index.js'),
  });
  const config = checkConfig('default' in exports ? exports.default : undefined, path);
  const modules = modulesOf(project, config);
  const trusted = modules.length === 0 || (await agreed(project, modules, linesOf(config)));
  return trusted ? { path, config, exists: true, trusted } : none;
}

/** The tool modules that a configuration names, with what they import. */
function modulesOf({ io }: Project, { tools = [] }: Config): readonly FileContent[] {
  return tools.flatMap((module) => moduleClosure(resolve(io.cwd, module)));
}

async function agreed(
  { io, flags, mode }: Project,
  files: readonly FileContent[],
  lines: readonly string[],
): Promise<boolean> {
  if (mode === undefined) return areTrusted(io, files);
  return isTrusted(io, flags, mode, { what: WHAT, files, lines, otherwise: OTHERWISE });
}

/** Each key with its value, and what it may do. */
function linesOf(config: Config): readonly string[] {
  const dangers: Readonly<Partial<Record<ConfigKey, string>>> = {
    tools: CODE,
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
