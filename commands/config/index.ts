export type { Config } from '../settings/index.js';
export type { ConfigFiles, LoadedConfig, ProjectConfig } from './config-file.js';
export { loadConfig } from './config-file.js';
export type { Effective, Source } from './effective.js';
export { EFFECTS } from './configured-rules.js';
export { effectiveFlags, loadFiles } from './effective.js';
export { rulesOf } from './said-rules.js';
export { RuleBindings } from './rule-bindings.js';
export { dropRule, keepRule } from './write-rules.js';
export { setVariable } from './variables.js';
export {
  foldersOfProject,
  LOCAL_FILE,
  nearest,
  PROJECT_FILE,
  PROJECT_MODULE,
  rulePlace,
} from './project-place.js';
export type { SettingPlace } from './setting-path.js';
export { noSetting, settingPlace } from './setting-path.js';
export { changeConfig, toldChange } from './write-config.js';
