export { differenceLines, differences } from './json-difference.js';
export type { Choice, QuestionContent } from './question-content.js';
export { questionContent } from './question-content.js';
export { oneLineOf, renderQuestionPlain } from './question-plain.js';
export type { ChoiceView, QuestionView, QuestionViewOptions } from './question-text.js';
export { questionView, toolOf } from './question-text.js';
export { AskedWindow } from './asked-window.js';
export { questionRows, wholeRows } from './terminal-look.js';
export { fittingLines, plainWays } from './fitting-lines.js';
