export type { ReadValue, SettingKind } from './kind.js';
export { expectedOf, readValue } from './read-value.js';
export type { FileLaw, ReadingCommand, SettingRow } from './row.js';
export type { Config, ConfigKey, SettingFlags, SettingKey } from './settings.js';
export { isConfig, isConfigKey, settingRows } from './settings.js';
export { SETTINGS } from './table.js';
