export { fittingLines, plainWays } from './fitting-lines.js';
export type { FormField } from './form-fields.js';
export { schemaChoices } from './listed-choices.js';
export {
  exampleAnswer,
  fieldText,
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
export { exampleFor, oneLineOf, renderQuestionPlain } from './question-plain.js';
export type { ChoiceView, QuestionView, QuestionViewOptions } from './question-text.js';
export { choiceViews, questionView, toolOf } from './question-text.js';
export { warningLine } from './question-parts.js';
export { YOUR_DECISION } from './words.js';
