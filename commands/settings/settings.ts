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

/**
 * A reviewer from the user's own configuration, together with that configuration. Project settings do not
 * apply to the reviewer.
 */
export interface OwnReviewer {
  readonly setting: Exclude<ReviewerSetting, false>;
  readonly own: Config;
}

/** The settings that a command accepts as flags. */
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

/** Returns the rows with their names, in table order. */
export function settingRows(): readonly (readonly [key: SettingKey, row: SettingRow])[] {
  return SETTING_KEYS.map((key) => [key, SETTINGS[key]]);
}

/** The names of all settings, in table order. */
const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS).filter(isSettingKey);

/** Whether this is the name of a setting. */
function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** Whether a configuration may contain the setting with this name. */
export function isConfigKey(name: string): name is ConfigKey {
  return isSettingKey(name) && 'file' in SETTINGS[name];
}

/**
 * Whether all properties are settings that a configuration may contain. The values are not checked, because
 * they have already been parsed by kind or validated against the generated schema.
 */
export function isConfig(value: object): value is Config {
  return Object.keys(value).every(isConfigKey);
}
