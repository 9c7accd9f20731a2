export {
  hasAsked,
  LAW,
  votesIn,
  quorumProblem,
  voteProblem,
  withoutVotes,
  withRequester,
  withVote,
} from './guard.js';
export { agreeing, standingVotes } from './tally.js';
export { isNo, isVotedOn, voterProblem } from './voter.js';
export { approversWords, peopleWords, votesCount } from './words.js';
export type { OpenQuestion } from './open-questions.js';
export { openQuestions } from './open-questions.js';
