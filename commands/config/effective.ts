import { dirname, resolve } from 'node:path';
import type { RulePlace } from '../../src/core/index.js';
import { DEFAULT_MAX_TURNS } from '../../src/engine/index.js';
import { realFolder } from '../../src/files/index.js';
import type { LoadedConfig } from './config-file.js';
import { loadConfig } from './config-file.js';
import type { Config } from './config-schema.js';
import type { ConfiguredRules } from './configured-rules.js';
import { configuredRules } from './configured-rules.js';
import { flagRules } from './flag-rules.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { ProjectConfig } from './project-config.js';
import { loadProjectConfig } from './project-config.js';

/** Where a value comes from; a flag wins over the environment, that over the project's configuration, that over the user's. */
export type Source = 'flag' | 'environment' | 'project' | 'configuration' | 'default';

export interface Setting {
  readonly key: string;
  readonly value: string | number | boolean | readonly string[] | undefined;
  readonly source: Source;
  /** The flag, the variable or the file. */
  readonly from: string;
}

/** The configuration in force: the project's where it is trusted, else the user's. */
interface Effective {
  readonly flags: RunFlags;
  readonly config: Config;
  readonly user: LoadedConfig;
  readonly project: ProjectConfig;
}

/**
 * The flags with what the configuration says in place of what they leave out.
 * Without `mode` nobody is asked whether the project's is trusted (G34).
 */
export async function effectiveFlags(io: Io, flags: RunFlags, mode?: Mode): Promise<Effective> {
  const user = await loadConfig(io);
  const project = await loadProjectConfig(io, flags, mode);
  const config: Config = { ...user.config, ...project.config };
  const tools = modulesOf(project) ?? modulesOf(user);
  const rules = rulesOf(io, { user, project });
  const all = [...rules.rules, ...flagRules(flags, rulePlace(io))];
  const answersFrom = project.config.answersFrom === 'here' ? 'here' : user.config.answersFrom;
  const sandbox = projectSandbox({ user, project }) ?? user.config.sandbox;
  if (mode !== undefined && !mode.quiet)
    for (const problem of rules.problems) tell(io.stderr, `warning: ${problem}`);
  const merged: RunFlags = {
    ...(config.maxTurns !== undefined && { maxTurns: config.maxTurns }),
    ...(config.maxCost !== undefined && { maxCost: config.maxCost }),
    ...(config.maxTime !== undefined && { maxTime: config.maxTime }),
    ...(config.system !== undefined && { system: config.system }),
    ...(sandbox !== undefined && { sandbox }),
    ...(answersFrom !== undefined && { answersFrom }),
    ...(config.statusLine !== undefined && { statusLine: config.statusLine }),
    ...(tools !== undefined && { tools }),
    ...flags,
    ...(all.length > 0 && { rules: all }),
  };
  return { flags: merged, config, user, project };
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

/** From the least to the most. */
const SANDBOXES: readonly Config['sandbox'][] = ['off', 'auto', 'required'];

/** What a project says of the sandbox where it asks for more of it than the user does: it cannot ask for less. */
function projectSandbox({ user, project }: Pick<Effective, 'user' | 'project'>): Config['sandbox'] {
  const wanted = SANDBOXES.indexOf(project.config.sandbox);
  return wanted > SANDBOXES.indexOf(user.config.sandbox ?? 'auto') ? project.config.sandbox : undefined;
}

/** Relative to the folder of the file that names them. */
function modulesOf({ config, path }: LoadedConfig): readonly string[] | undefined {
  return config.tools?.map((module) => resolve(dirname(path), module));
}

type Value = Setting['value'];

/** Every setting with its value and where it comes from. */
export function settingsOf(
  io: Io,
  flags: RunFlags,
  { user, project }: Pick<Effective, 'user' | 'project'>,
): readonly Setting[] {
  const of = <Key extends keyof Config>(key: Key): readonly [Config[Key], Config[Key]] => [
    project.config[key],
    user.config[key],
  ];
  const rows: readonly (readonly [
    key: string,
    variable: string,
    flag: Value,
    configured: readonly [project: Value, user: Value],
    fallback?: Value,
  ])[] = [
    ['model', 'HITL_MODEL', flags.model, of('model')],
    ['baseUrl', 'HITL_BASE_URL', flags.baseUrl, of('baseUrl')],
    ['allowHttp', '', flags.allowHttp, of('allowHttp'), false],
    ['system', 'HITL_SYSTEM', flags.system, of('system')],
    ['tools', 'HITL_TOOLS', flags.tools, of('tools'), []],
    [
      'sandbox',
      'HITL_SANDBOX',
      flags.sandbox,
      [projectSandbox({ user, project }), user.config.sandbox],
      'auto',
    ],
    ['statusLine', '', undefined, of('statusLine'), true],
    ['maxTurns', 'HITL_MAX_TURNS', flags.maxTurns, of('maxTurns'), DEFAULT_MAX_TURNS],
    ['maxCost', 'HITL_MAX_COST', flags.maxCost, of('maxCost')],
    ['maxTime', 'HITL_MAX_TIME', flags.maxTime, of('maxTime')],
  ];
  return rows.map(([key, variable, flag, [projects, users], fallback]) => {
    const given = io.env[variable];
    const isSet = given !== undefined && given !== '';
    if (flag !== undefined && !(isSet && String(flag) === given))
      return { key, value: flag, source: 'flag', from: 'the command line' };
    if (isSet) return { key, value: flag ?? given, source: 'environment', from: variable };
    if (projects !== undefined) return { key, value: projects, source: 'project', from: project.path };
    if (users !== undefined) return { key, value: users, source: 'configuration', from: user.path };
    return { key, value: fallback, source: 'default', from: '' };
  });
}
