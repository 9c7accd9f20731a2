export type { FoldLimits, Hidden } from './fold.js';
export { FOLD_LIMITS } from './fold.js';
export { shownName } from './question-heading.js';
export type { QuestionLine, QuestionPart } from './question-line.js';
export { oneLineOf, renderQuestionPlain } from './question-plain.js';
export type { ChoiceView, QuestionView, QuestionViewOptions } from './question-text.js';
export { questionView, toolOf } from './question-text.js';
export type { Choice } from './question-content.js';
export { valueRows } from './value-rows.js';
export type { Verb } from './verbs.js';
export { fittingLines, verbsOf } from './verbs.js';
export type { Warning, WarningKind } from './finding.js';
export { choiceWarnings, textWarnings, warningsOf } from './warnings.js';
export type { TerminalChannelOptions } from './terminal.js';
export { createTerminalChannel } from './terminal.js';
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
