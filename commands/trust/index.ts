export { foundBytes } from './found-file.js';
export { moduleClosure } from './module-closure.js';
export type { FileContent } from './trust-store.js';
export { ownText } from './trust-store.js';
export { areTrusted, isTrusted, keepTrust } from './trust.js';
