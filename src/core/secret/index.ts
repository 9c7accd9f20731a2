export { maskedAt, SECRET, shownAnswer, withoutSecrets } from './masked.js';
export { secretPlaces, memberAt, withMemberAt } from './places.js';
export type { SealedAnswer, SecretSchemas } from './seal.js';
export { maskProblem, plainAnswer, placesBehind, sealAnswer } from './seal.js';
export type { SecretMember, SecretsOf } from './vault.js';
export { SecretVault } from './vault.js';
