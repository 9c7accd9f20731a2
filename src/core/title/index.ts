export type { Diff, DiffLine } from './diff.js';
export { readDiff, withContext } from './diff.js';
export type { DecidedWords } from './decided.js';
export { decidedWords } from './decided.js';
export { keptTitle } from './own-title.js';
export { shownPayload } from './shown-payload.js';
export {
  askedBy,
  askingCall,
  callTitleOf,
  confirmationWords,
  raiserOf,
  subjectOf,
  subjectOfSource,
  titleOf,
} from './title.js';
