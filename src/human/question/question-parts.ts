import type { Interrupt, JsonObject, JsonValue, RunState, ToolDescriptor } from '../../core/index.js';
import {
  escapeText,
  firstRow,
  isJsonArray,
  isJsonObject,
  isOperationGate,
  membersOf,
  shownPayload,
} from '../../core/index.js';
import { effectLines } from './effect-words.js';
import { operationWords, PARTS, warningWords } from './words.js';
import type { FoldLimits, Hidden } from '../values/fold.js';
import type { QuestionLine, QuestionPart } from '../values/text-line.js';
import { addHidden, foldRows, NOTHING_HIDDEN } from '../values/fold.js';
import { GUTTER, hiddenText, valueRows } from '../values/value-rows.js';
import { ownLine, quotedLines } from '../values/text-line.js';
import { thoughtBefore } from './thought-before.js';
import type { QuestionContent } from './question-content.js';
import type { Warning } from '../warnings/finding.js';

/** Input for all parts of a question's text. */
export interface QuestionMaterial {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly content: QuestionContent;
  readonly warnings: readonly Warning[];
  /** `undefined` shows everything. */
  readonly limits: FoldLimits | undefined;
  readonly now: number | undefined;
}

/** Lines of a question, and the amount of content that was folded. */
export interface Parts {
  readonly lines: readonly QuestionLine[];
  readonly hidden: Hidden;
}

const NOTHING: Parts = { lines: [], hidden: NOTHING_HIDDEN };

/**
 * Returns the lines of an interrupt that does not ask for a decision about a call: the question, warnings,
 * reasoning and effect.
 */
export function questionParts(material: QuestionMaterial): Parts {
  const { interrupt, warnings } = material;
  const isQuestion = interrupt.kind === 'question';
  return joinParts([
    ...(isQuestion ? [saysPart(material, 'question')] : []),
    inputPart(material),
    whole(warnings.map(warningLine)),
    ...(isQuestion ? [] : [saysPart(material, 'says')]),
    whole(thoughtBefore(interrupt, material.state)),
    whole(effectLines(material)),
  ]);
}

/** Returns lines without folding any. */
export function whole(lines: readonly QuestionLine[]): Parts {
  return { lines, hidden: NOTHING_HIDDEN };
}

export function warningLine({ message, place }: Warning): QuestionLine {
  return { part: 'warnings', tone: 'warning', gutter: '', text: warningWords(place, message) };
}

export function valuePart(
  part: QuestionPart,
  title: string,
  value: JsonValue,
  limits: FoldLimits | undefined,
): Parts {
  const { rows, hidden } = valueRows(value, limits);
  const heading = title === '' ? [] : [ownLine(part, title)];
  return { lines: [...heading, ...quotedLines(part, rows)], hidden };
}

/** Returns the exact input of the call to approve. It is never summarized (T4). */
function inputPart({ interrupt, content, limits }: QuestionMaterial): Parts {
  const { source } = interrupt;
  if (source.type !== 'tool') return NOTHING;
  const { inputRest } = content;
  if (inputRest !== undefined) {
    // Question and choices stand above and below; what else the call was given stands here.
    return Object.keys(inputRest).length === 0 ? NOTHING : valuePart('input', PARTS.input, inputRest, limits);
  }
  if (isJsonObject(source.input) && Object.keys(source.input).length === 0) {
    return { lines: [ownLine('input', PARTS.noInput)], hidden: NOTHING_HIDDEN };
  }
  return valuePart('input', PARTS.input, source.input, limits);
}

/** Folds the end of each long line, and the middle of the text if there are too many lines. */
export function foldedLines(lines: readonly QuestionLine[], limits: FoldLimits | undefined): Parts {
  if (limits === undefined) return whole(lines);
  const all = joinParts(lines.map((line) => foldedLine(line, limits.maxCharacters)));
  if (all.lines.length <= limits.maxRows) return all;
  const { head, tail, left } = foldRows(all.lines, limits.maxRows);
  const hidden = { lines: left.length, characters: left.reduce((sum, { text }) => sum + text.length, 0) };
  return { lines: [...head, hiddenLine(hidden, head), ...tail], hidden: addHidden(all.hidden, hidden) };
}

function foldedLine(line: QuestionLine, limit: number): Parts {
  if (line.text.length <= limit) return whole([line]);
  const { changed: _changed, code: _code, both: _both, note: _note, ...plain } = line;
  const text = firstRow(line.text, limit);
  const hidden = { lines: 0, characters: line.text.length - text.length };
  return { lines: [{ ...plain, text }, hiddenLine(hidden, [line])], hidden };
}

function hiddenLine(hidden: Hidden, [first]: readonly QuestionLine[]): QuestionLine {
  return { part: first?.part ?? 'input', tone: 'hidden', gutter: GUTTER, text: hiddenText(hidden) };
}

/** Formats a unified diff as question lines. */
export function writtenDiff(diff: string): readonly QuestionLine[] {
  return diff.replace(/\n$/, '').split('\n').map(diffLine);
}

function diffLine(line: string): QuestionLine {
  const tone = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'quoted';
  return { part: 'diff', tone, gutter: GUTTER, text: escapeText(line) };
}

/** Shows the message from the tool, the node or the person who paused. The message is untrusted text. */
export function saysPart(material: QuestionMaterial, part: 'question' | 'says'): Parts {
  const { interrupt, content, limits } = material;
  const { source, kind } = interrupt;
  if (kind === 'in-doubt' || kind === 'limit') return NOTHING; // the engine's payload: told with the effect
  const byApproval = source.type === 'tool' && source.raisedBy === 'approval';
  const said = content.text === undefined ? NOTHING : saidPart(interrupt, part, content.text, limits);
  if (kind === 'gate' && source.type === 'node')
    return joinParts([said, ...gateParts(interrupt, content.rest, limits)]);
  const { by, ...others } = content.rest;
  // Who paused stands in the title.
  const told = kind === 'pause' && typeof by === 'string' ? others : content.rest;
  const rest = byApproval ? {} : told;
  const more = addsPart(part, rest, limits);
  const bare = isJsonArray(interrupt.payload)
    ? valuePart(part, part === 'question' ? '' : saysTitle(source), interrupt.payload, limits)
    : NOTHING;
  return joinParts([said, more, bare]);
}

/**
 * Returns the parts of a workflow gate: the node's output, the state, and other details, such as the reason
 * that the node was sent back.
 */
function gateParts(
  interrupt: Interrupt,
  payload: JsonObject,
  limits: FoldLimits | undefined,
): readonly Parts[] {
  const shown = membersOf(shownPayload({ ...interrupt, payload }));
  if (isOperationGate(interrupt)) return [operationPart(shown, limits)];
  const { state, output, ...rest } = shown;
  const whole = (title: string, value: JsonValue | undefined): Parts =>
    value === undefined ? NOTHING : valuePart('state', title, value, limits);
  return [whole(PARTS.output, output), whole(PARTS.state, state), addsPart('state', rest, limits)];
}

/** Shows the workflow operation that is about to start. */
function operationPart(shown: JsonObject, limits: FoldLimits | undefined): Parts {
  const { does, input, ...rest } = shown;
  const words = operationWords(does);
  if (words === undefined || Object.keys(rest).length > 0)
    return valuePart('state', PARTS.adds, shown, limits);
  if (input === undefined) return { lines: [ownLine('state', words)], hidden: NOTHING_HIDDEN };
  return valuePart('state', `${words}, with`, input, limits);
}

export function joinParts(parts: readonly Parts[]): Parts {
  return {
    lines: parts.flatMap(({ lines }) => lines),
    hidden: parts.reduce((sum, { hidden }) => addHidden(sum, hidden), NOTHING_HIDDEN),
  };
}

/**
 * Formats a message: `Message: lunch` on one line, or several lines below a heading. A question has no
 * heading.
 */
function saidPart(
  { source }: Interrupt,
  part: 'question' | 'says',
  text: string,
  limits: FoldLimits | undefined,
): Parts {
  if (part === 'question') return valuePart(part, '', text, limits);
  if (text === '' || text.includes('\n')) return valuePart(part, saysTitle(source), text, limits);
  const line = { part, tone: 'quoted', gutter: '', label: PARTS.says, text: escapeText(text) } as const;
  return foldedLines([line], limits);
}

/**
 * Returns the details added to a message. If the only property has the same name as the heading, its name is
 * left out.
 */
function addsPart(part: QuestionPart, rest: JsonObject, limits: FoldLimits | undefined): Parts {
  const [[name, value] = [], ...others] = Object.entries(rest);
  if (name === undefined || value === undefined) return NOTHING;
  return valuePart(part, PARTS.adds, name === PARTS.adds && others.length === 0 ? value : rest, limits);
}

function saysTitle({ type }: Interrupt['source']): string {
  return type === 'tool' ? 'message from the tool' : 'message';
}
