export { bareText } from './bare-text.js';
export { jsonEquals } from './json-equals.js';
export { isJson, isPlain } from './is-json.js';
export type { JsonObject, JsonValue } from './json.js';
export { digestOf, sha256 } from './digest.js';
export { deepFreeze, isJsonArray, isJsonObject, membersOf, ownOf, present } from './json.js';
export { hasLoneSurrogate, toWellFormed } from './well-formed.js';
export { parseStrictJson } from './strict-json.js';
