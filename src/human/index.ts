export type { FoldLimits, Hidden } from './values/fold.js';
export type { QuestionLine, QuestionPart } from './values/text-line.js';
export {
  answerCommand,
  askedRows,
  commandBelow,
  exampleFor,
  oneLineOf,
  renderQuestionPlain,
  renderQuestionWhole,
  showCommand,
} from './question/question-plain.js';
export { choiceName, schemaChoices, shownChoice } from './question/listed-choices.js';
export {
  editFields,
  formFields,
  kindWords,
  labelOf,
  openEdit,
  passedOn,
  typesOf,
} from './question/form-fields.js';
export { questionView, toolOf } from './question/question-text.js';
export { shownKey } from './question/together.js';
export { beforeRestoreWords } from './question/interrupt-warnings.js';
export { FOLDS_KEY } from './question/key-words.js';
export { warningLine, writtenDiff } from './question/question-parts.js';
export type { Choice } from './question/listed-choices.js';
export type { ChoiceView, EarlyAnswer, QuestionView, QuestionViewOptions } from './question/question-text.js';
export type { FormField } from './question/form-fields.js';
export { valueRows } from './values/value-rows.js';
export { quotedLines } from './values/text-line.js';
export { diffLines } from './difference/diff-lines.js';
export { differenceLines, differences } from './difference/json-difference.js';
export type { Warning, WarningKind } from './warnings/finding.js';
export { choiceWarnings, textWarnings, warningsOf } from './warnings/warnings.js';
export { rawJsonWarnings } from './warnings/raw-json-warnings.js';
export type { Offer, Offers } from './composer/offers.js';
export type { StatusPart } from './composer/composer-picture.js';
export { mentionedPaths, ownCommand } from './own-line.js';
export type { PickContext } from './prompt/pick-one.js';
export type { PickRow } from './prompt/pick-rows.js';
export type { KeepRule } from './terminal/ask.js';
export type { TerminalDevice } from './device/device.js';
export type { TerminalTheme } from './device/theme.js';
export type { AnswerContext, ParseAnswerResult, ParsedAnswer } from './answer/parse-answer.js';
export type { Delivered, DeliverOptions } from './answer/deliver-answer.js';
export type { AnswersFile } from './answer/answers-file.js';
export type { AnswerRule } from './answer/answer-rule.js';
export { actionNamed, readResolution } from './answer/read-resolution.js';
export { checkSchema } from './answer/check-schema.js';
export { deliverAnswer } from './answer/deliver-answer.js';
export { namedAtStart } from './answer/answer-target.js';
export { parseAnswer, parseAnswerValue } from './answer/parse-answer.js';
export { parseAnswersFile } from './answer/answers-file.js';
export { patchOf, startOf } from './answer/start-of.js';
export { readField, withField } from './answer/json-fields.js';
export { readTaken } from './answer/read.js';
export { recordAnswers } from './answer/record-answers.js';
export type { LineContext } from './lines/choose-line.js';
export type { LinePerson } from './lines/line-person.js';
export { firstOf } from './first-of.js';
export type { Line, LineInput, LineSource } from './script/line-source.js';
export type { ScriptedInput, ScriptedInputOptions } from './script/scripted.js';
export { createLineSource, noLines } from './script/line-source.js';
export { createScriptedInput, createUnattended } from './script/scripted.js';
export type { PolicyOptions, PolicyVerdict } from './policy.js';
export { asksAlways, createPolicyChannel, ruleOn } from './policy.js';
