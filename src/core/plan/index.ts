export { editHolds } from './edit.js';
export type { AgreedPlan, ToolPlan } from './plan.js';
export { planDifferences, planDigest, requestIn, requestJson } from './plan.js';
