export type { CallScene } from './call-scene.js';
export type { Call, CallSecrets, ResolvedInterrupt } from './call.js';
export { newCall, resolvedBy } from './call.js';
export { asksPeople, askingPeople, peopleAgreed, withCallPeople } from './people-of-call.js';
export type { SettledVia, ToolOutcome } from './outcome.js';
