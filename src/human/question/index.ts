export { differenceLines, differences } from './json-difference.js';
export type { Choice, QuestionContent } from './question-content.js';
export { questionContent } from './question-content.js';
export { subjectOf } from './question-heading.js';
export { oneLineOf, renderQuestionPlain } from './question-plain.js';
export type { ChoiceView, QuestionView, QuestionViewOptions } from './question-text.js';
export { questionView, toolOf } from './question-text.js';
export { fitted, foldLimitsFor, questionRows, wholeRows } from './terminal-look.js';
export { fittingLines, plainWays } from './fitting-lines.js';
