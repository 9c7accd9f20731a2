export { isDeliveryNote } from './is-note.js';
export type { ToldQuestion } from './naming.js';
export { noteKey } from './naming.js';
export type { SendOutcome } from './noting.js';
export { noteAfter, noteAgain, takenToRaise, takenToResolve } from './noting.js';
export type { DeliveryPlan, DeliveryStep, DeliveryTerms, DeliveryView } from './plan.js';
export { planDeliveries } from './plan.js';
