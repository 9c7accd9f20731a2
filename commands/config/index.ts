export type { LoadedConfig } from './config-file.js';
export { loadConfig } from './config-file.js';
export type { Config } from './config-schema.js';
export type { Setting } from './effective.js';
export { EFFECTS } from './configured-rules.js';
export { effectiveFlags, rulePlace, rulesOf, settingsOf } from './effective.js';
export type { ProjectConfig } from './project-config.js';
export { contentOf, isTrusted, keepTrust } from './trust.js';
export { dropRule, keepRule } from './write-rules.js';
