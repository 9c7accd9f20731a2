export type { FoldLimits, Hidden } from './fold.js';
export type { QuestionLine, QuestionPart } from './question-line.js';
export { oneLineOf, renderQuestionPlain } from './question-plain.js';
export type { ChoiceView, QuestionView, QuestionViewOptions } from './question-text.js';
export { questionView, toolOf } from './question-text.js';
export type { Choice } from './question-content.js';
export { valueRows } from './value-rows.js';
export type { Verb } from './verbs.js';
export type { Warning, WarningKind } from './finding.js';
export { choiceWarnings, textWarnings, warningsOf } from './warnings.js';
export type { EditorOptions, StdioTarget, TextEditor } from './edit-json-editor.js';
export { editorOf } from './edit-json-editor.js';
export { createLineHistory } from './line-editor-history.js';
export type { PickContext, PickRow } from './prompt/pick-one.js';
export { confirmOne, pickOne } from './prompt/pick-one.js';
export type { TerminalChannel, TerminalChannelOptions } from './terminal.js';
export { createTerminalChannel } from './terminal.js';
export type { AlertOptions } from './terminal-alert.js';
export type {
  HeldTerminal,
  TerminalDevice,
  TerminalDeviceOptions,
  TerminalInput,
  TerminalOutput,
  TerminalSignals,
} from './terminal-ports.js';
export { createTerminalDevice } from './terminal-device.js';
export type { SignalProcess } from './terminal-signals.js';
export { processSignals } from './terminal-signals.js';
export type { TerminalTheme } from './terminal-theme.js';
export { plainTheme } from './terminal-theme.js';
export type { LineHistory, TerminalTurnsOptions } from './terminal-turns.js';
export { createTerminalTurns } from './terminal-turns.js';
export type { AnswerMatch, AnswerRule } from './answer-rule.js';
export { parseAnswersFile } from './answers-file.js';
export { firstOf } from './first-of.js';
export type { Line, LineInput, LineSource } from './line-source.js';
export { createLineSource, noLines } from './line-source.js';
export { parseAnswer, parseAnswerValue } from './parse-answer.js';
export type { AnswerContext, ParseAnswerResult, ParsedAnswer } from './parsed-answer.js';
export type { PolicyOptions } from './policy.js';
export { createPolicyChannel } from './policy.js';
export { rawJsonWarnings } from './raw-json-warnings.js';
export { recordAnswers } from './record-answers.js';
export type { ScriptedInput, ScriptedInputOptions } from './scripted.js';
export { createScriptedInput } from './scripted.js';
export { createUnattended } from './unattended.js';
