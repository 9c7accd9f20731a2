import { dirname, resolve } from 'node:path';
import { sha256 } from '../../src/core/index.js';
import { absoluteWords, followed, guardedFolder } from '../../src/programs/index.js';
import type { Config, ConfigKey } from '../settings/settings.js';
import { isConfigKey } from '../settings/settings.js';
import { SETTINGS } from '../settings/table.js';
import type { FileContent } from '../../src/files/index.js';
import { areTrusted, isTrusted } from '../trust/trust.js';
import { lookedAt } from '../trust/unseen.js';
import { moduleClosure } from '../../src/files/index.js';
import type { Project, ProjectConfig } from './config-file.js';
import { configFrom } from './config-file.js';
import { checkConfig } from './config-schema.js';
import { loadModule } from '../../src/tools/index.js';

const OTHERWISE = 'or continue without it: --no-trust';
const CODE = 'runs code with your permissions when loaded';

/** Reads a JSON configuration, which applies once it is trusted. @throws HitlError BAD_CONFIG, USAGE */
export async function readJson(project: Project, path: string, bytes: Buffer): Promise<ProjectConfig> {
  const { config, lineOf } = configFrom(bytes.toString('utf8'), path);
  const named = namedBy(project, path, config);
  const files = [{ path, sha256: sha256(bytes) }, ...named.files];
  const trusted = await agreed(project, files, [...linesOf(config), ...named.lines]);
  return { path, config: trusted ? config : {}, exists: true, trusted, lineOf };
}

/**
 * Reads a configuration that is code. Reading it runs it, so trust is required first for the file, and then
 * for the modules that it lists.
 */
export async function readModule(project: Project, path: string): Promise<ProjectConfig> {
  const none = { path, config: {}, exists: true, trusted: false };
  const files = moduleClosure(path);
  if (!(await agreed(project, files, [CODE]))) return none;
  const { exports } = await loadModule(path, 'a configuration', {
    cwd: project.io.cwd,
    library: () => import('../../src/index.js'),
    agreed: files,
  });
  const config = checkConfig('default' in exports ? exports.default : undefined, path);
  const named = namedBy(project, path, config);
  const trusted =
    named.files.length === 0 || (await agreed(project, named.files, [...linesOf(config), ...named.lines]));
  return trusted ? { path, config, exists: true, trusted } : none;
}

/**
 * Returns the tool modules and programs listed in a configuration, including modules that they import. Paths
 * are resolved relative to the configuration's folder.
 */
function namedBy(
  { io }: Project,
  path: string,
  { tools = [], notify = [] }: Config,
): { readonly files: readonly FileContent[]; readonly lines: readonly string[] } {
  const folder = dirname(path);
  const words = absoluteWords(notify, folder);
  const program = lookedAt(io, '`notify`', followed({ words, guarded: guardedFolder(io) }));
  return {
    files: [...tools.flatMap((module) => moduleClosure(resolve(folder, module))), ...program.trusted],
    lines: program.lines,
  };
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

/** Formats each key with its value and the effect of setting it. */
function linesOf(config: Config): readonly string[] {
  const dangers: Readonly<Partial<Record<ConfigKey, string>>> = {
    tools: CODE,
    notify: 'a program that runs with your permissions when a question is waiting',
    model: 'who is asked',
    baseUrl: 'receives the whole conversation and your key',
    system: 'instructions for the model',
    rules: 'rules that ask or deny (a project cannot allow)',
  };
  return Object.entries(config).map(([key, value]) => {
    const does = isConfigKey(key) ? (dangers[key] ?? SETTINGS[key].about) : '';
    return `${key}: ${JSON.stringify(value)}  (${does})`;
  });
}
