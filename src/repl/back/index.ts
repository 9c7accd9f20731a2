export type { Fork, ForkOptions } from './fork.js';
export { forkSession } from './fork.js';
export type { GoingBack, OnceAgain, RewoundBy } from './going-back.js';
export { goingBack, onceAgain, rewoundEvent } from './going-back.js';
export type { OwnEffect } from './own-effects.js';
export { ownEffectsOf } from './own-effects.js';
export type { ToolEffect } from './tool-effects.js';
export { effectsOf } from './tool-effects.js';
export { startOf } from './start-of.js';
