export { fittingLines, plainWays } from './fitting-lines.js';
export type { FormField } from './form-fields.js';
export type { ShownChoice } from './listed-choices.js';
export { choiceName, memberChoices, schemaChoices, shownChoice } from './listed-choices.js';
export {
  exampleAnswer,
  formFields,
  formOf,
  kindWords,
  labelOf,
  listedValues,
  passedOn,
  typesOf,
} from './form-fields.js';
export type { Choice, QuestionContent } from './question-content.js';
export { questionContent } from './question-content.js';
export {
  answerCommand,
  askedRows,
  commandBelow,
  exampleFor,
  oneLineOf,
  renderQuestionPlain,
  showCommand,
} from './question-plain.js';
export type { ChoiceView, EarlyAnswer, QuestionView, QuestionViewOptions } from './question-text.js';
export { choiceViews, earlyAnswerView, questionView, toolOf } from './question-text.js';
export { warningLine } from './question-parts.js';
export type { Refused } from './key-words.js';
export {
  ALWAYS_FOR,
  ALWAYS_KEYS,
  lastingHead,
  lastingWords,
  firstSeeWords,
  TOO_SMALL,
  MORE_KEY,
  NO_SUCH_RULE,
  notSeenWords,
  PAGER_KEYS,
  placeWords,
  positionWords,
  pressWords,
  refusedWords,
  SCROLL_KEYS,
  twiceWords,
  VIEW_KEY,
} from './key-words.js';
export { YOUR_DECISION } from './words.js';
