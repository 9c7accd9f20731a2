export {
  doubtDraft,
  errorDraft,
  gateDraft,
  limitDraft,
  operationGateDraft,
  questionDraft,
} from './drafts.js';
export { askedAgain, gateChanges, lapsedAnswer, withChanges, withoutChanges } from './changes.js';
export type { GraphGuard, GuardHold, GuardVerdict, GuardedEdge, GuardedNode } from './guards.js';
