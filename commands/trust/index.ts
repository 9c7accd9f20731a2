export { type FileContent, foundBytes, moduleClosure } from '../../src/files/index.js';
export { ownText } from './trust-store.js';
export { areTrusted, isTrusted, keepTrust } from './trust.js';
