export type { Warning, WarningKind } from './finding.js';
export { excerpt } from './finding.js';
export { rawJsonWarnings } from './raw-json-warnings.js';
export { choiceWarnings, textWarnings, warningsOf } from './warnings.js';
