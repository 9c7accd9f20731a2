export { jsonEquals } from './json-equals.js';
export { isJson } from './is-json.js';
export type { JsonObject, JsonValue } from './json.js';
export { deepFreeze, digestOf, isJsonArray, isJsonObject, membersOf, sha256 } from './json.js';
export { hasLoneSurrogate, toWellFormed } from './well-formed.js';
export { parseStrictJson } from './strict-json.js';
