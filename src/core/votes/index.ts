export { quorumProblem, voteProblem, withoutVotes, withRequester, withVote } from './guard.js';
export { agreeing, isVotedOn, standingVotes } from './tally.js';
export { isNo, subjectOf, voterProblem } from './voter.js';
export { approversWords, peopleWords, votesCount } from './words.js';
export type { OpenQuestion } from './open-questions.js';
export { openQuestions } from './open-questions.js';
