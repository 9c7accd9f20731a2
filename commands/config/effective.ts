import { dirname, resolve } from 'node:path';
import type { RulePlace } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import type { LoadedConfig } from './config-file.js';
import { loadConfig } from './config-file.js';
import type { ConfiguredRules } from './configured-rules.js';
import { configuredRules } from './configured-rules.js';
import { flagRules } from './flag-rules.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import { lawful } from './law.js';
import type { ProjectConfig } from './project-config.js';
import { loadProjectConfig } from './project-config.js';
import type { Config, SettingKey } from '../settings/index.js';
import { variablesIn } from './variables.js';

/** Where a value comes from; a flag wins over the environment, that over the project's configuration, that over yours. */
export type Source = 'flag' | 'environment' | 'project' | 'configuration' | 'default';

/** One place that says settings. */
export interface Layer {
  readonly source: Source;
  readonly config: Config;
  /** The variable, or the file. */
  from(key: SettingKey): string;
}

/** The settings in force for a command. */
export interface Effective {
  /** The flags, with what the layers say in place of what they leave out. */
  readonly flags: RunFlags;
  /** What the layers say; flags are not in it. */
  readonly config: Config;
  /** The strongest first. */
  readonly layers: readonly Layer[];
  readonly user: LoadedConfig;
  readonly project: ProjectConfig;
}

/**
 * The flags with what the environment and the configurations say in place of what they leave out.
 * Without `mode` nobody is asked whether the project's is trusted (G34).
 * @throws HitlError USAGE, BAD_CONFIG for what does not fit.
 */
export async function effectiveFlags(io: Io, flags: RunFlags, mode?: Mode): Promise<Effective> {
  const user = await loadConfig(io);
  const project = await loadProjectConfig(io, flags, mode);
  const variables = variablesIn(io);
  const theirs = lawful(located(project), user.config, project.path);
  const layers: readonly Layer[] = [
    { source: 'environment', config: variables.config, from: (key) => variables.names.get(key) ?? '' },
    { source: 'project', config: theirs.config, from: () => project.path },
    { source: 'configuration', config: located(user), from: () => user.path },
  ];
  const config = layers.reduceRight<Config>((weaker, layer) => ({ ...weaker, ...layer.config }), {});
  const rules = rulesOf(io, { user, project });
  const all = [...rules.rules, ...flagRules(flags, rulePlace(io))];
  if (mode !== undefined && !mode.quiet)
    for (const problem of [...rules.problems, ...theirs.problems]) tell(io.stderr, `warning: ${problem}`);
  // A session goes on with its model where that is, so these three are no flags.
  const {
    model: _model,
    baseUrl: _server,
    allowHttp: _http,
    models: _names,
    rules: _rules,
    ...more
  } = config;
  return {
    flags: { ...more, ...flags, ...(all.length > 0 && { rules: all }) },
    config,
    layers,
    user,
    project,
  };
}

/** The rules of both: a project’s come on top of the user’s, and cannot allow. */
export function rulesOf(
  io: Pick<Io, 'cwd' | 'home'>,
  { user, project }: Pick<Effective, 'user' | 'project'>,
): ConfiguredRules {
  const place = rulePlace(io);
  const both = [
    configuredRules(user.config.rules, { ...fileOf(user), mayAllow: true, place }),
    configuredRules(project.config.rules, { ...fileOf(project), mayAllow: false, place }),
  ];
  return {
    rules: both.flatMap(({ rules }) => rules),
    problems: both.flatMap(({ problems }) => problems),
  };
}

/** Where relative paths of rules start: as real paths, as tools find them. */
export function rulePlace({ cwd, home }: Pick<Io, 'cwd' | 'home'>): RulePlace {
  return { folder: realFolder(cwd), home: realFolder(home) };
}

function fileOf({ path, text }: LoadedConfig): Pick<LoadedConfig, 'path' | 'text'> {
  return { path, ...(text !== undefined && { text }) };
}

/** What a file says, with the modules that it names as absolute paths: they are relative to its folder. */
function located({ config, path }: LoadedConfig): Config {
  const { tools, ...rest } = config;
  if (tools === undefined) return rest;
  return { ...rest, tools: tools.map((module) => resolve(dirname(path), module)) };
}
