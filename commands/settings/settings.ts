import type { ValueOf } from './kind.js';
import type { SettingRow } from './row.js';
import { SETTINGS } from './table.js';

type Table = typeof SETTINGS;

/** The name of a setting. */
export type SettingKey = keyof Table;

/** The settings that a configuration may say. */
export type ConfigKey = {
  [Key in SettingKey]: Table[Key] extends { readonly file: string } ? Key : never;
}[SettingKey];

/** The content of a configuration, as it is used: durations in milliseconds. */
export type Config = { readonly [Key in ConfigKey]?: ValueOf<Table[Key]['kind']> };

/** Settings that run commands take as flags, or with them from a configuration. */
export type SettingFlags = Omit<
  Config,
  'models' | 'rules' | 'profiles' | 'apiKeyCommand' | 'mcpServers' | 'mcpEnv' | 'channels' | 'pages'
> & {
  readonly profile?: string;
  /** Said for one run and never kept: a process of yours could answer in your name. */
  readonly answersFrom?: ValueOf<Table['answersFrom']['kind']>;
  readonly mcp?: readonly string[];
};

/** The rows by name, as the table has them. */
export function settingRows(): readonly (readonly [key: SettingKey, row: SettingRow])[] {
  return SETTING_KEYS.map((key) => [key, SETTINGS[key]]);
}

/** The names of all settings, in the order of the table. */
const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS).filter(isSettingKey);

/** True for the name of a setting. */
function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** True for the name of a setting that a configuration may say. */
export function isConfigKey(name: string): name is ConfigKey {
  return isSettingKey(name) && 'file' in SETTINGS[name];
}

/**
 * True for what says nothing but settings that a configuration may say. Their values were read by the kinds of the
 * table before, by the one reader or by the schema that is made from it.
 */
export function isConfig(value: object): value is Config {
  return Object.keys(value).every(isConfigKey);
}
