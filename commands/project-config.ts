import { join, resolve } from 'node:path';
import type { Config, LoadedConfig } from './config-file.js';
import { configBytes, configFrom } from './config-file.js';
import type { Io } from './io.js';
import type { Mode } from './mode.js';
import type { RunFlags } from './options.js';
import type { FileContent } from './trust-store.js';
import { areTrusted, contentOf, isTrusted, sha256Of } from './trust.js';

export interface ProjectConfig extends LoadedConfig {
  /** False: nothing of it is in force. */
  readonly trusted: boolean;
}

/**
 * The working directory's own configuration, `hitl.config.json`; nothing of it counts before it is trusted (G34).
 * Without `mode` nobody is asked, and what is not trusted does not count.
 * @throws HitlError USAGE where nobody can be asked, BAD_CONFIG naming every key that does not fit.
 */
export async function loadProjectConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const path = join(io.cwd, 'hitl.config.json');
  const bytes = await configBytes(path);
  if (bytes === undefined) return { path, config: {}, exists: false, trusted: false };
  const files: FileContent[] = [{ path, sha256: sha256Of(bytes) }];
  const config = configFrom(bytes, path);
  for (const module of config.tools ?? []) {
    const content = await contentOf(resolve(io.cwd, module));
    if (content !== undefined) files.push(content);
  }
  const request = {
    what: 'this folder’s configuration',
    files,
    lines: linesOf(config),
    otherwise: 'or go on without it: --no-trust',
  };
  const trusted =
    mode === undefined ? await areTrusted(io, files) : await isTrusted(io, flags, mode, request);
  return { path, config: trusted ? config : {}, exists: true, trusted };
}

/** What each key would do, with its value. */
function linesOf(config: Config): readonly string[] {
  const what: Readonly<Partial<Record<keyof Config, string>>> = {
    tools: 'code that runs with your rights as soon as it is loaded',
    model: 'who is asked',
    models: 'names for models',
    baseUrl: 'where everything that is said is sent, and your key',
    system: 'what the model is told to be',
    rules: 'what is asked about or denied; a project cannot allow',
  };
  return Object.entries(config).map(([key, value]) => {
    const does = Object.entries(what).find(([name]) => name === key)?.[1] ?? 'a limit';
    return `${key}: ${JSON.stringify(value)}  (${does})`;
  });
}
