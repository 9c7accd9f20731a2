export type { Approvable, ApprovalPolicy } from './approvers.js';
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
} from './approvers.js';
export type { CastVote, Vote } from './vote.js';
export { isPeopleWord, policyWords, splitPeople } from './rule-people.js';
