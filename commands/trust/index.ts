export { type FileContent, foundBytes, moduleClosure } from '../../src/files/index.js';
export { ownText } from './trust-store.js';
export { areTrusted, concerned, isTrusted, keepTrust, trustedPaths, trustedWords } from './trust.js';
export type { TrustPlace } from './trust-store.js';
export type { Looked } from './unseen.js';
export { lookedAt, marking, unseenContent } from './unseen.js';
