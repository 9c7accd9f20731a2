export { type FileContent, foundBytes, moduleClosure } from '../../src/files/index.js';
export { ownText } from './trust-store.js';
export { areTrusted, concerned, isTrusted, keepTrust, trustedFilesOf } from './trust.js';
