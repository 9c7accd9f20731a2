export { editHolds } from './edit.js';
export type { AgreedPlan, ToolPlan } from './plan.js';
export { NOT_APPROVED, planDifferences, planDigest, requestIn, requestJson } from './plan.js';
