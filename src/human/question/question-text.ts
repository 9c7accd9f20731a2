import type { Interrupt, RunState, Shown, ToolDescriptor, Way } from '../../core/index.js';
import { openInterrupts } from '../../core/index.js';
import type { FoldLimits, Hidden } from '../values/fold.js';
import type { QuestionLine } from '../values/text-line.js';
import { FOLD_LIMITS } from '../values/fold.js';
import { GUTTER } from '../values/value-rows.js';
import { questionParts } from './question-parts.js';
import type { Choice } from './question-content.js';
import { formLines, formOf } from './form-fields.js';
import type { ShownChoice } from './listed-choices.js';
import { shownChoice } from './listed-choices.js';
import { questionContent } from './question-content.js';
import { briefLines, detailLines, hasChange } from './brief.js';
import { askerOf, decisionWords, headingOf, originOf, titleLineOf } from './words.js';
import { plainWays } from './fitting-lines.js';
import type { Warning } from '../warnings/finding.js';
import { warningsOfInterrupt } from './interrupt-warnings.js';

/** A displayed choice; `number` starts at 1. */
export interface ChoiceView extends ShownChoice {
  readonly number: number;
  /** The recorded answer; not escaped. */
  readonly choice: Choice;
}

/** Everything that a person sees of an interrupt, escaped and without colors. */
export interface QuestionView {
  readonly interrupt: Interrupt;
  /** Index among the open questions, from 1; absent for a single one. */
  readonly position?: { readonly index: number; readonly count: number };
  /** First line: what is asked. */
  readonly title: string;
  /** Source of the tool; empty for built-in ones. */
  readonly origin: string;
  /**
   * The lines that must be seen before an answer counts, without the title: `tight` with less around a change, `folded`
   * with the old and the new words of a line in one.
   */
  readonly brief: {
    readonly all: readonly QuestionLine[];
    readonly tight: readonly QuestionLine[];
    readonly folded: readonly QuestionLine[];
  };
  /** What is the same at every call, and how this one differs from the last one that was approved: for who asks. */
  readonly details: readonly QuestionLine[];
  /** One line: kind of request, tool, source. */
  readonly heading: string;
  /** Input, details, warnings, the tool's message, effect. Without heading, choices and actions. */
  readonly lines: readonly QuestionLine[];
  readonly choices: readonly ChoiceView[];
  /** The fields of a form, one escaped line each. */
  readonly form: readonly string[];
  readonly multiple: boolean;
  readonly allowOther: boolean;
  /** Whether typed text must be hidden. */
  readonly secret: boolean;
  /** Actions in our own words; none is a default. */
  readonly ways: readonly Way[];
  /** Question above the actions: `Run this command?`. */
  readonly decision: string;
  readonly warnings: readonly Warning[];
  readonly hidden: Hidden;
  /** Whether "yes" is disabled until the full view was opened. */
  readonly fullViewRequired: boolean;
}

/** Limits, time and other open questions for a question's view. */
export interface QuestionViewOptions {
  /** All open interrupts, for "1 of 2". Default: those of the state. */
  readonly open?: readonly Interrupt[];
  /** Limits beyond which text is folded. Default `FOLD_LIMITS`; `null` shows everything. */
  readonly limits?: FoldLimits | null;
  /** Milliseconds since 1970, for "asked 3 h ago". Default: no age. */
  readonly now?: number;
}

/** Returns the session's tool behind an interrupt; `undefined` if it is not available or no tool asked. */
export function toolOf(interrupt: Interrupt, state: RunState): ToolDescriptor | undefined {
  const { source } = interrupt;
  if (source.type !== 'tool') return undefined;
  return state.agent?.tools.find((tool) => tool.name === source.name);
}

/** Numbers the choices, safe for a terminal. */
export function choiceViews(choices: readonly Choice[]): readonly ChoiceView[] {
  return choices.map((choice, at) => ({
    number: at + 1,
    ...shownChoice(choice),
    choice,
  }));
}

/**
 * Returns the view of an interrupt, computed from the interrupt itself: what is shown is what runs (G12). Foreign
 * text is escaped and behind a gutter (G31).
 */
export function questionView(
  interrupt: Interrupt,
  state: RunState,
  options: QuestionViewOptions = {},
): QuestionView {
  const open = options.open ?? openInterrupts(state);
  const index = open.findIndex((one) => one.id === interrupt.id);
  const content = questionContent(interrupt);
  const form = formOf(interrupt);
  const warnings = warningsOfInterrupt(interrupt, content, state);
  const limits = options.limits === null ? undefined : (options.limits ?? FOLD_LIMITS);
  const tool = toolOf(interrupt, state);
  const material = { interrupt, state, tool, content, warnings, now: options.now };
  const { lines, hidden } = questionParts({ ...material, limits });
  const whole = { ...material, limits: undefined };
  const tight = briefLines(whole, 'tight');
  const folded = hasChange(interrupt) ? briefLines(whole, 'folded') : tight;
  const brief = { all: briefLines(whole, 'all'), tight, folded };
  return {
    interrupt,
    ...(open.length > 1 && index >= 0 && { position: { index: index + 1, count: open.length } }),
    title: askerOf(interrupt, tool) ?? titleLineOf(interrupt, 'lead'),
    origin: originOf(interrupt, tool),
    brief,
    details: detailLines(whole, brief.all),
    heading: headingOf(interrupt, tool),
    lines,
    choices: choiceViews(content.choices),
    form: form === undefined ? [] : formLines(form),
    multiple: content.multiple,
    allowOther: content.allowOther,
    secret: content.secret,
    ways: plainWays(interrupt),
    decision: decisionWords(interrupt, tool),
    warnings,
    hidden,
    fullViewRequired: hidden.lines > 0 || hidden.characters > 0,
  };
}

/** An answer given before its question was on screen: on the command line, or elsewhere. */
export interface EarlyAnswer {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  /** The whole answer, and its author if someone else gave it. */
  readonly answer: Shown;
  /** The question about it and the key labels, in our own words. */
  readonly message: string;
  readonly yes: string;
  readonly no: string;
}

/** Returns the view of a question with its early answer: both must be seen completely. */
export function earlyAnswerView({ interrupt, state, answer }: EarlyAnswer, now: number): QuestionView {
  const view = questionView(interrupt, state, { now, limits: null });
  const line: QuestionLine = {
    part: 'answer',
    tone: 'quoted',
    gutter: GUTTER,
    label: 'answer: ',
    text: answer,
  };
  const { all, tight, folded } = view.brief;
  return { ...view, brief: { all: [...all, line], tight: [...tight, line], folded: [...folded, line] } };
}
