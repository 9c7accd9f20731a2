import type { Actor, Interrupt, JsonObject, RunState, Shown, ToolDescriptor, Way } from '../../core/index.js';
import {
  actorName,
  asksAgain,
  changeMark,
  membersOf,
  openInterrupts,
  partsOf,
  plainLine,
  stateAt,
  stateMark,
} from '../../core/index.js';
import type { FoldLimits, Hidden } from '../values/fold.js';
import type { QuestionLine } from '../values/text-line.js';
import { FOLD_LIMITS, NOTHING_HIDDEN } from '../values/fold.js';
import { quotedLines } from '../values/text-line.js';
import { GUTTER, valueRows } from '../values/value-rows.js';
import type { Choice } from './question-content.js';
import { formLines, formOf } from './form-fields.js';
import type { ShownChoice } from './listed-choices.js';
import { shownChoice } from './listed-choices.js';
import { questionContent } from './question-content.js';
import { briefLines, briefParts, detailLines, hasChange } from './brief.js';
import { askerOf, decisionWords, leadOf, originOf, titleLineOf } from './words.js';
import { plainWays } from './fitting-lines.js';
import type { Warning } from '../warnings/finding.js';
import { warningsOfInterrupt } from './interrupt-warnings.js';
import { warningLine } from './question-parts.js';

/** A displayed choice. `number` starts at 1. */
export interface ChoiceView extends ShownChoice {
  readonly number: number;
  /** The choice as received, with the answer to record. Not escaped. */
  readonly choice: Choice;
}

/** Everything that the user sees of an interrupt, as escaped text without colors. */
export interface QuestionView {
  readonly interrupt: Interrupt;
  /** Position among the open questions, starting at 1. Absent if there is only one. */
  readonly position?: { readonly index: number; readonly count: number };
  /** First line, which states the request. */
  readonly title: string;
  /** Source of the tool. Empty for built-in tools. */
  readonly origin: string;
  /**
   * A change that the viewer has made since the question was last asked: `you changed amount 200 → 150`.
   * Another person's change is shown as a warning instead. If the viewer is unknown, this is any person's
   * change, with their name. Empty if there is no such change.
   */
  readonly mark: string;
  /**
   * The lines that the user must see before their answer is accepted, without the title. `tight` shows fewer
   * lines around a change. `folded` shows old and new words in the same line.
   */
  readonly brief: {
    readonly all: readonly QuestionLine[];
    readonly tight: readonly QuestionLine[];
    readonly folded: readonly QuestionLine[];
  };
  /**
   * Details that a prompt shows on request: details that are the same for every call, and the differences
   * from the last approved call.
   */
  readonly details: readonly QuestionLine[];
  /** The lines that the user must see before their answer is accepted, folded to the limits. */
  readonly lines: readonly QuestionLine[];
  readonly choices: readonly ChoiceView[];
  /** The fields of a form, one escaped line each. */
  readonly form: readonly string[];
  readonly multiple: boolean;
  readonly allowOther: boolean;
  /** Whether to hide the text that the user types. */
  readonly secret: boolean;
  /** The available actions, with built-in labels. There is no default action. */
  readonly ways: readonly Way[];
  /** Question to show above the actions: `Run this command?`. */
  readonly decision: string;
  readonly warnings: readonly Warning[];
  readonly hidden: Hidden;
  /** Whether approving is disabled until the user opens the full view. */
  readonly fullViewRequired: boolean;
}

/** Options for showing a question: limits, time, viewer and other open questions. */
export interface QuestionViewOptions {
  /** All open interrupts, for the position "1 of 2". Default: those in the state. */
  readonly open?: readonly Interrupt[];
  /** Limits beyond which text is folded. `null` shows everything. Default: `FOLD_LIMITS`. */
  readonly limits?: FoldLimits | null;
  /** Current time in milliseconds since 1970, for "asked 3 h ago". If absent, the age is not shown. */
  readonly now?: number;
  /** The viewer, whose own changes are shown as "you". Default: everyone is shown by name. */
  readonly you?: Actor;
}

/** Whether a question has warnings other than the given ones. */
export function isWarned({ brief }: QuestionView, but: readonly Warning[] = []): boolean {
  const usual = new Set(but.map((warning) => warningLine(warning).text));
  return brief.all.some(({ tone, text }) => tone === 'warning' && !usual.has(text));
}

/**
 * Returns the session's description of an interrupt's tool. Returns `undefined` if the tool is not available
 * or the interrupt does not come from a tool.
 */
export function toolOf(interrupt: Interrupt, state: RunState): ToolDescriptor | undefined {
  const { source } = interrupt;
  if (source.type !== 'tool') return undefined;
  return state.agent?.tools.find((tool) => tool.name === source.name);
}

/** Numbers the choices and makes them safe for a terminal. */
export function choiceViews(choices: readonly Choice[]): readonly ChoiceView[] {
  return choices.map((choice, at) => ({
    number: at + 1,
    ...shownChoice(choice),
    choice,
  }));
}

/**
 * Returns the view of an interrupt. It is computed from the interrupt itself, so that the call runs exactly
 * as shown (G12). Untrusted text is escaped and appears after a gutter (G31).
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
  const change = changeOf(interrupt, state, options.you);
  const warnings = [...(change?.warnings ?? []), ...warningsOfInterrupt(interrupt, content, state)];
  const limits = options.limits === null ? undefined : (options.limits ?? FOLD_LIMITS);
  const tool = toolOf(interrupt, state);
  const material = { interrupt, state, tool, content, warnings, now: options.now };
  const whole = { ...material, limits: undefined };
  const tight = briefLines(whole, 'tight');
  const folded = hasChange(interrupt) ? briefLines(whole, 'folded') : tight;
  const brief = { all: briefLines(whole, 'all'), tight, folded };
  const { lines, hidden } =
    limits === undefined
      ? { lines: brief.all, hidden: NOTHING_HIDDEN }
      : briefParts({ ...material, limits }, 'all');
  return {
    interrupt,
    ...(open.length > 1 && index >= 0 && { position: { index: index + 1, count: open.length } }),
    title: askerOf(interrupt, tool) ?? titleLineOf(interrupt, leadOf(interrupt, tool).lead),
    origin: originOf(interrupt, tool),
    mark: change?.mark ?? '',
    brief,
    details: detailLines(whole, brief.all),
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

/** A change made by an answer. Because of this change, the question was asked again. */
interface Change {
  readonly mark: string;
  /** Warnings about another person's change. */
  readonly warnings: readonly Warning[];
}
/**
 * Describes the change made by the last answer, if the question is asked again because of that change. The
 * viewer's own change becomes a mark. Another person's change becomes a warning.
 */
function changeOf(interrupt: Interrupt, state: RunState, you: Actor | undefined): Change | undefined {
  const { source } = interrupt;
  const here = stateAt(state, interrupt.path) ?? state;
  if (source.type !== 'tool') {
    const asked = here.resolved.findLast(({ interrupt: before }) => isSamePlace(before, interrupt));
    if (asked === undefined || interrupt.kind !== 'gate' || !asksAgain(asked.resolution)) return undefined;
    const [before, after] = [asked.interrupt, interrupt].map(({ payload }) => membersOf(payload)['state']);
    const keys = partsOf(asked.resolution).patches.flatMap((patch) => Object.keys(patch));
    const named = plainLine([...new Set(keys)].join(', '), MARK_COLUMNS);
    return changeBy(asked.by, you, (who) =>
      before === undefined || after === undefined ? `${who} changed ${named}` : stateMark(before, after, who),
    );
  }
  const resolved = here.open?.calls.find(({ request }) => request.ref === source.ref)?.resolved;
  const isEdit = resolved?.resolution.action === 'restart' && resolved.resolution.input !== undefined;
  const isGate = interrupt.kind === 'confirmation' && source.raisedBy === 'approval';
  if (!isEdit || !isGate || resolved.proposal === true) return undefined;
  return changeBy(resolved.by, you, (who) => changeMark(resolved.interrupt, interrupt, who));
}

function changeBy(by: Actor, you: Actor | undefined, mark: (who: string) => string): Change {
  const isYou = by.type === 'person' && you?.type === 'person' && by.via === you.via && by.name === you.name;
  const words = mark(isYou ? 'you' : plainLine(actorName(by), MARK_COLUMNS));
  return isYou || you === undefined
    ? { mark: words, warnings: [] }
    : { mark: '', warnings: [{ kind: 'changed', message: words, place: '' }] };
}

function isSamePlace({ kind, source: one }: Interrupt, { kind: other, source }: Interrupt): boolean {
  return (
    kind === other &&
    one.type === 'node' &&
    source.type === 'node' &&
    one.nodeId === source.nodeId &&
    one.visit === source.visit &&
    one.phase === source.phase
  );
}

/** Maximum width of a name in a mark. */
const MARK_COLUMNS = 40;

/** Returns the view of a call that the viewer has just edited, with the new lines marked. */
export function editedView(view: QuestionView, before: QuestionView): QuestionView {
  const known = new Set(before.brief.all.map(lineKey));
  const marked = (lines: readonly QuestionLine[]): readonly QuestionLine[] =>
    lines.map((line) => (isChange(line) && !known.has(lineKey(line)) ? { ...line, note: 'yours' } : line));
  const { all, tight, folded } = view.brief;
  const mark = changeMark(before.interrupt, view.interrupt, 'you');
  return { ...view, mark, brief: { all: marked(all), tight: marked(tight), folded: marked(folded) } };
}

function isChange({ tone }: QuestionLine): boolean {
  return tone === 'added' || tone === 'removed';
}

function lineKey({ tone, text }: QuestionLine): string {
  return `${tone} ${text}`;
}

/** An answer given before its question was on screen, either in a command or by someone else. */
export interface EarlyAnswer {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  /** The answer in text form. */
  readonly answer: Shown;
  /** Values that the answer's text may shorten. They are shown in full. */
  readonly given?: JsonObject;
  /** The person who gave the answer, if it was not the user. */
  readonly by?: Shown;
  /** The question about the early answer. Like the key labels, it must not contain untrusted text. */
  readonly message: string;
  readonly yes: string;
  readonly no: string;
}

/** Returns the view of a question together with its early answer. The user must see both in full. */
export function earlyAnswerView(
  { interrupt, state, answer, given = {}, by }: EarlyAnswer,
  now: number,
): QuestionView {
  const view = questionView(interrupt, state, { now, limits: null });
  const quoted = { part: 'answer', tone: 'quoted', gutter: GUTTER } as const;
  const values =
    Object.keys(given).length === 0 ? [] : quotedLines('answer', valueRows(given, undefined).rows);
  const lines: readonly QuestionLine[] = [
    { ...quoted, label: 'Answer: ', text: answer },
    ...values,
    ...(by === undefined ? [] : [{ ...quoted, label: 'By: ', text: by }]),
  ];
  const { all, tight, folded } = view.brief;
  return {
    ...view,
    brief: { all: [...all, ...lines], tight: [...tight, ...lines], folded: [...folded, ...lines] },
  };
}
