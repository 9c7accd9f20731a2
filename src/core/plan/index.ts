export { editHolds } from './edit.js';
export type { AgreedPlan, ToolPlan } from './plan.js';
export { memberDifferences, planDifferences, planDigest, requestIn, requestJson } from './plan.js';
