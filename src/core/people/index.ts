export type { ApprovalPolicy, Subject } from '../interrupt.js';
export type { Approvable } from './approvers.js';
export {
  approversJson,
  approversOf,
  approversProblem,
  asksAll,
  bothApprovers,
  isForNobody,
  isGroup,
  keptApprovers,
  neededBy,
  NOBODY,
  readApprovers,
  readStandIn,
  standInOf,
  standInWith,
  succeeding,
} from './approvers.js';
export type { CastVote, Vote } from './vote.js';
export { isFourEyes, isProposal } from './vote.js';
export {
  approvalWordsAt,
  isApprovalWord,
  lastingProblem,
  misreadClause,
  policyWords,
  splitApproval,
} from './rule-people.js';
export type { Identified, Identity, Person, Proof, Requester } from './identity.js';
export {
  identify,
  isFirstNamespace,
  isLocalIssuer,
  isNamed,
  maybeSame,
  meansIssuer,
  nameProblem,
  personOf,
  plainName,
  voterOf,
} from './identity.js';
