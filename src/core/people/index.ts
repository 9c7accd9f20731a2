export type { Approvable, ApprovalPolicy } from './approvers.js';
export {
  approversJson,
  approversOf,
  approversProblem,
  bothApprovers,
  isGroup,
  keptApprovers,
  neededBy,
  readApprovers,
} from './approvers.js';
export type { CastVote, Vote } from './vote.js';
