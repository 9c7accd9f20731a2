export { editHolds } from './edit.js';
export type { AgreedPlan, ToolPlan } from './plan.js';
export {
  ageProblems,
  codeName,
  codeProblems,
  isNamedByHand,
  letsRun,
  termsOf,
  termsProblems,
  used,
  validUntil,
} from './terms.js';
export type { Age, Start, Terms } from './terms.js';
export {
  askedAgainLines,
  memberDifferences,
  planDifferences,
  planDigest,
  requestIn,
  requestJson,
} from './plan.js';
