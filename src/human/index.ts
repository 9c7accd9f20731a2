export type { FoldLimits, Hidden, QuestionLine, QuestionPart } from './values/index.js';
export {
  answerCommand,
  askedRows,
  choiceName,
  commandBelow,
  exampleFor,
  formFields,
  formOf,
  kindWords,
  labelOf,
  oneLineOf,
  passedOn,
  questionView,
  renderQuestionPlain,
  schemaChoices,
  showCommand,
  shownChoice,
  toolOf,
  typesOf,
  warningLine,
  YOUR_DECISION,
} from './question/index.js';
export type {
  Choice,
  ChoiceView,
  EarlyAnswer,
  FormField,
  QuestionView,
  QuestionViewOptions,
} from './question/index.js';
export { valueRows } from './values/index.js';
export { differenceLines, differences } from './difference/index.js';
export type { Warning, WarningKind } from './warnings/index.js';
export { choiceWarnings, rawJsonWarnings, textWarnings, warningsOf } from './warnings/index.js';
export type { Offer, Offers } from './composer/index.js';
export { mentionedPaths, ownCommand } from './own-line.js';
export type { PickContext, PickRow } from './prompt/index.js';
export type { KeepRule } from './terminal/index.js';
export type { TerminalDevice, TerminalTheme } from './device/index.js';
export type {
  AnswerContext,
  Delivered,
  DeliverOptions,
  AnswersFile,
  AnswerRule,
  ParseAnswerResult,
  ParsedAnswer,
} from './answer/index.js';
export {
  actionNamed,
  checkSchema,
  deliverAnswer,
  namedAtStart,
  parseAnswer,
  parseAnswersFile,
  parseAnswerValue,
  patchOf,
  readField,
  readResolution,
  readTaken,
  recordAnswers,
  startOf,
  withField,
} from './answer/index.js';
export type { LineContext, LinePerson } from './lines/index.js';
export { firstOf } from './first-of.js';
export type { Line, LineInput, LineSource, ScriptedInput, ScriptedInputOptions } from './script/index.js';
export { createLineSource, createScriptedInput, noLines } from './script/index.js';
export type { PolicyOptions, PolicyVerdict } from './policy.js';
export { asksAlways, createPolicyChannel, ruleOn } from './policy.js';
export { createUnattended } from './unattended.js';
