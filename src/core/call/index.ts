export type { CallScene } from './call-scene.js';
export type { Call, CallSecrets, CallState, ResolvedInterrupt } from './call.js';
export { codeAgreed, newCall, resolvedBy } from './call.js';
export { asksPeople, askingPeople, peopleAgreed, proposedIn, withCallPeople } from './people-of-call.js';
export type { SettledVia, ToolOutcome } from './outcome.js';
