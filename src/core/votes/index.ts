export { quorumProblem, voteProblem, withoutVotes, withRequester, withVote } from './guard.js';
export { agreeing, isVotedOn, standingVotes } from './tally.js';
export { isNo, subjectOf, voterProblem } from './voter.js';
export { approversWords, votesCount } from './words.js';
