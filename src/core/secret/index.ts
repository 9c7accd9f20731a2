export { maskedAt, maskPlaces, SECRET, shownAnswer, shownChange, withoutSecrets } from './masked.js';
export { isSecretSchema, mayHoldSecret, memberAt, withMemberAt } from './places.js';
export type { SealedAnswer, SecretSchemas } from './seal.js';
export { holdsSecret, maskProblem, plainAnswer, placesBehind, sealAnswer, shownResolution } from './seal.js';
export type { SecretMember, SecretsOf } from './vault.js';
export { SecretVault } from './vault.js';
