export type { Acceptance } from './acceptance.js';
export { acceptance } from './acceptance.js';
export type { DefinitionChange } from './changes.js';
export { outlineChanges } from './changes.js';
export { hashOf } from './hash.js';
export { bothPoints, migratedEvent } from './migrated-event.js';
export { outlineOf } from './outline.js';
export { definitionProblem, refusal } from './refusal.js';
