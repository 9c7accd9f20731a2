export type { ReadValue, SettingKind } from './kind.js';
export { expectedOf, readValue } from './read-value.js';
export type {
  Config,
  ConfigKey,
  FileLaw,
  ReadingCommand,
  SettingFlags,
  SettingKey,
  SettingRow,
} from './table.js';
export { isConfig, isConfigKey, settingRows, SETTINGS } from './table.js';
