import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from './config-file.js';
import { loadConfig } from './config-file.js';
import type { Io } from './io.js';
import type { RunFlags } from './options.js';

/** Where a value comes from; a flag wins over the environment, and that over the user's configuration. */
export type Source = 'flag' | 'environment' | 'configuration' | 'default';

export interface Setting {
  readonly key: string;
  readonly value: string | number | readonly string[] | undefined;
  readonly source: Source;
  /** The flag, the variable or the file. */
  readonly from: string;
}

/** The flags with what the configuration says in place of what they leave out. */
export async function effectiveFlags(
  io: Io,
  flags: RunFlags,
): Promise<{ readonly flags: RunFlags; readonly loaded: LoadedConfig }> {
  const loaded = await loadConfig(io);
  const { config, path } = loaded;
  const tools = config.tools?.map((module) => resolve(dirname(path), module));
  const merged: RunFlags = {
    ...(config.maxTurns !== undefined && { maxTurns: config.maxTurns }),
    ...(config.maxCost !== undefined && { maxCost: config.maxCost }),
    ...(config.maxTime !== undefined && { maxTime: config.maxTime }),
    ...(config.system !== undefined && { system: config.system }),
    ...(tools !== undefined && { tools }),
    ...flags,
  };
  return { flags: merged, loaded };
}

type Value = Setting['value'];

/** Every setting with its value and where it comes from. */
export function settingsOf(io: Io, flags: RunFlags, { config, path }: LoadedConfig): readonly Setting[] {
  const rows: readonly (readonly [
    key: string,
    variable: string,
    flag: Value,
    configured: Value,
    fallback?: Value,
  ])[] = [
    ['model', 'HITL_MODEL', flags.model, config.model],
    ['baseUrl', 'HITL_BASE_URL', flags.baseUrl, config.baseUrl],
    ['system', 'HITL_SYSTEM', flags.system, config.system],
    ['tools', 'HITL_TOOLS', flags.tools, config.tools, []],
    ['maxTurns', 'HITL_MAX_TURNS', flags.maxTurns, config.maxTurns, 50],
    ['maxCost', 'HITL_MAX_COST', flags.maxCost, config.maxCost],
    ['maxTime', 'HITL_MAX_TIME', flags.maxTime, config.maxTime],
  ];
  return rows.map(([key, variable, flag, configured, fallback]) => {
    const given = io.env[variable];
    const isSet = given !== undefined && given !== '';
    if (flag !== undefined && !(isSet && String(flag) === given))
      return { key, value: flag, source: 'flag', from: 'the command line' };
    if (isSet) return { key, value: flag ?? given, source: 'environment', from: variable };
    if (configured !== undefined) return { key, value: configured, source: 'configuration', from: path };
    return { key, value: fallback, source: 'default', from: '' };
  });
}
