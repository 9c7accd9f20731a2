import { dirname, join, resolve } from 'node:path';
import {
  escapeText,
  HitlError,
  isJsonObject,
  membersOf,
  meantHint,
  nearNames,
  shown,
} from '../../src/core/index.js';
import { absoluteWords } from '../../src/programs/index.js';
import type { ConfigFiles, LoadedConfig } from './config-file.js';
import type { ConfiguredRules } from './configured-rules.js';
import { loadConfig } from './config-file.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { ProjectServers } from '../mcp/project-servers.js';
import { projectServers } from '../mcp/project-servers.js';
import type { DocumentPath } from './document.js';
import { configOf, lawful } from './law.js';
import { loadLocalConfig, loadProjectConfig } from './project-config.js';
import { refuseTrackedHome } from './own-home.js';
import { nearest, rulePlace, SERVERS_FILE } from './project-place.js';
import type { ReviewerSetting } from '../settings/kind.js';
import type { Config, SettingKey } from '../settings/settings.js';
import { isConfig, isConfigKey } from '../settings/settings.js';
import { SETTINGS } from '../settings/table.js';
import { variablesIn } from './variables.js';
import { flagRules, rulesOf } from './said-rules.js';

/**
 * Sources of settings, strongest first. `local` is the user's own file next to the project's configuration;
 * `configuration` is the user's global configuration.
 */
export type Source = 'flag' | 'environment' | 'profile' | 'local' | 'project' | 'configuration' | 'default';

/** Sources that only the user controls. */
const OWN: ReadonlySet<Source> = new Set(['environment', 'profile', 'configuration']);

/** One source of settings. */
export interface Layer {
  readonly source: Source;
  readonly config: Config;
  /** Returns the name of the variable or file that sets a key. */
  from(key: SettingKey): string;
}

/** The settings in effect for a command. */
export interface Effective {
  /** The given flags, with missing values filled in from the other layers. */
  readonly flags: RunFlags;
  /** Layers, strongest first. */
  readonly config: Config;
  /** The strongest first. */
  readonly layers: readonly Layer[];
  readonly files: ConfigFiles;
}

/**
 * Returns the flags, with missing values filled in from the environment and the configuration files. Without
 * `mode`, does not ask whether to trust the project's configuration (G34).
 * @throws HitlError USAGE, BAD_CONFIG for invalid values.
 */
export async function effectiveFlags(io: Io, flags: RunFlags, mode?: Mode): Promise<Effective> {
  const files = await loadFiles(io, flags, mode);
  const { user, profile, project, local } = files;
  const variables = variablesIn(io);
  const mine = { ...user.config, ...profile.config };
  const theirs = lawful(located(project), mine, project.path);
  const beside = lawful(located(local), { ...mine, ...theirs.config }, local.path);
  const ofProfile: Layer['from'] = (key) => lineText(user, ['profiles', profile.name, key]);
  const layers: readonly Layer[] = [
    { source: 'environment', config: variables.config, from: (key) => variables.names.get(key) ?? '' },
    { source: 'local', config: narrow(beside.config), from: (key) => lineText(local, [key]) },
    { source: 'project', config: narrow(theirs.config), from: (key) => lineText(project, [key]) },
    { source: 'profile', config: located({ ...user, config: profile.config }), from: ofProfile },
    { source: 'local', config: beside.config, from: (key) => lineText(local, [key]) },
    { source: 'project', config: theirs.config, from: (key) => lineText(project, [key]) },
    { source: 'configuration', config: located(user), from: (key) => lineText(user, [key]) },
  ];
  const config = layers.reduceRight<Config>((weaker, layer) => ({ ...weaker, ...layer.config }), {});
  const rules = saidRules(io, flags, files);
  const served = withServers(config, files.servers);
  const all = rules.rules;
  if (mode !== undefined) {
    const others = mode.quiet ? [] : [...theirs.problems, ...beside.problems];
    // A rule that cannot be read changes what everybody is asked, so it is told where nothing else is.
    const left = files.servers?.problem;
    if (left !== undefined && !mode.quiet) others.push(escapeText(left));
    for (const problem of [...rules.problems, ...others]) tell(io.stderr, shown`warning: ${problem}`);
  }
  // A session goes on with its model where that is, and in its mode, so these are no flags.
  const {
    model: _model,
    baseUrl: _server,
    allowHttp: _http,
    mode: _mode,
    effort: _effort,
    thinking: _thinking,
    serverTool: _providers,
    rules: _rules,
    reviewer,
    ...more
  } = config;
  // A project may say which server and which names of models count, and not for what reviews in a person's place.
  const own = layers
    .filter(({ source }) => OWN.has(source))
    .reduceRight<Config>((weaker, layer) => ({ ...weaker, ...layer.config }), {});
  return {
    flags: {
      ...more,
      ...flags,
      ...(flags.tools === undefined && more.tools !== undefined && { toolsFrom: 'configuration' }),
      ...(all.length > 0 && { rules: all }),
      ...(reviewer !== undefined && reviewer !== false && { reviewer: { setting: reviewer, own } }),
    },
    config: served,
    layers,
    files,
  };
}

/**
 * Returns the rules from files and flags. The parser is loaded only if there is a rule, because most users
 * have none.
 */
function saidRules(io: Io, flags: RunFlags, files: ConfigFiles): ConfiguredRules {
  const { user, profile, project, local } = files;
  const inFiles = [user, profile, project, local].some(({ config }) => config.rules !== undefined);
  const inFlags = [flags.allow, flags.yes, flags.denyTool, flags.dangerouslyApproveAll];
  if (!inFiles && inFlags.every((flag) => flag === undefined)) return { rules: [], problems: [] };
  const { rules, problems } = rulesOf(io, files);
  return { rules: [...rules, ...flagRules(flags, rulePlace(io))], problems };
}

/**
 * Adds the project's MCP servers to the settings. If two servers have the same name, the user's server is
 * used.
 */
function withServers(config: Config, given: ProjectServers | undefined): Config {
  if (given?.trusted !== true) return config;
  return { ...config, mcpServers: { ...given.servers, ...membersOf(config.mcpServers) } };
}

/** Reads every configuration file. @throws HitlError USAGE, BAD_CONFIG for invalid values. */
export async function loadFiles(io: Io, flags: RunFlags, mode?: Mode): Promise<ConfigFiles> {
  refuseTrackedHome(io);
  const user = loadConfig(io);
  const { folder, found } = nearest(io.cwd, [SERVERS_FILE]);
  const path = join(folder, SERVERS_FILE);
  return {
    user,
    profile: profileOf(user, profileName(io, flags)),
    project: await loadProjectConfig(io, flags, mode),
    local: await loadLocalConfig(io, flags, mode),
    ...(found.length > 0 && { servers: await projectServers(io, flags, { path, mode }) }),
  };
}

function profileName({ env }: Io, { profile }: RunFlags): string {
  return profile ?? env['HITL_PROFILE'] ?? '';
}

function profileOf({ config, path }: LoadedConfig, name: string): ConfigFiles['profile'] {
  if (name === '') return { name, config: {} };
  const profiles = membersOf(config.profiles);
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (isJsonObject(found) && isConfig(found)) return { name, config: found };
  const names = Object.keys(profiles);
  const known = names.length === 0 ? `no profiles in \`${path}\`` : `valid profiles: ${names.join(', ')}`;
  throw new HitlError('USAGE', `unknown profile \`${name}\``, {
    hint: meantHint(nearNames(name, names).slice(0, 1), known),
  });
}

/**
 * Returns the project settings that can only add restrictions. They apply even if a profile sets the same
 * keys.
 */
function narrow(config: Config): Config {
  return configOf(
    Object.entries(config).filter(([key]) => isConfigKey(key) && SETTINGS[key].file === 'narrower'),
  );
}

/** Returns the path of the file that contains a setting, with the line number if known. */
function lineText({ path, lineOf }: LoadedConfig, key: DocumentPath): string {
  return lineOf === undefined ? path : `${path}:${lineOf(key)}`;
}

/** Resolves the module and program paths in a configuration file relative to its folder. */
function located({ config, path }: Pick<LoadedConfig, 'config' | 'path'>): Config {
  const { tools, notify, apiKeyCommand, reviewer, ...rest } = config;
  const folder = dirname(path);
  return {
    ...rest,
    ...(reviewer !== undefined && { reviewer: reviewerIn(reviewer, folder) }),
    ...(tools && { tools: tools.map((module) => resolve(folder, module)) }),
    ...(notify && { notify: absoluteWords(notify, folder) }),
    ...(apiKeyCommand && { apiKeyCommand: absoluteWords(apiKeyCommand, folder) }),
  };
}

function reviewerIn(reviewer: ReviewerSetting, folder: string): ReviewerSetting {
  if (reviewer === false) return false;
  if ('command' in reviewer) return { ...reviewer, command: absoluteWords(reviewer.command, folder) };
  return { ...reviewer, ...(reviewer.policy !== undefined && { policy: resolve(folder, reviewer.policy) }) };
}
