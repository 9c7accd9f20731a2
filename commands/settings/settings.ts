import type { ReviewerSetting, ValueOf } from './kind.js';
import type { ReadingCommand, SettingRow } from './row.js';
import { SETTINGS } from './table.js';

type Table = typeof SETTINGS;

/** The name of a setting. */
export type SettingKey = keyof Table;

/** Settings that a configuration may contain. */
export type ConfigKey = {
  [Key in SettingKey]: Table[Key] extends { readonly file: string } ? Key : never;
}[SettingKey];

/** Contents of a configuration, with durations in milliseconds. */
export type Config = { readonly [Key in ConfigKey]?: ValueOf<Table[Key]['kind']> };

/** A reviewer as a person configured it, and the person's own settings around it: no project's count for it. */
export interface OwnReviewer {
  readonly setting: Exclude<ReviewerSetting, false>;
  readonly own: Config;
}

/** The settings that are flags of a command. */
export type ReadFlags<Name extends ReadingCommand> = {
  readonly [
    Key in SettingKey as Table[Key] extends {
      readonly flag: string;
      readonly reads: readonly (infer Reader)[];
    }
      ? [Name] extends [Reader]
        ? Key
        : never
      : never
  ]?: ValueOf<Table[Key]['kind']>;
};

/** The rows by name, in table order. */
export function settingRows(): readonly (readonly [key: SettingKey, row: SettingRow])[] {
  return SETTING_KEYS.map((key) => [key, SETTINGS[key]]);
}

/** The names of all settings, in the order of the table. */
const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS).filter(isSettingKey);

/** Whether this is the name of a setting. */
function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** Whether a configuration may contain this setting. */
export function isConfigKey(name: string): name is ConfigKey {
  return isSettingKey(name) && 'file' in SETTINGS[name];
}

/**
 * Whether all properties are settings that a configuration may contain. Values were already parsed by their
 * kinds, or by the schema generated from them.
 */
export function isConfig(value: object): value is Config {
  return Object.keys(value).every(isConfigKey);
}
