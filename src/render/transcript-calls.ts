import { columnsOf, count, escapeLines, escapeText, firstRow, mediaOf } from '../core/index.js';
import type { Call, Interrupt, JsonValue, ResolvedInterrupt, Shown, ToolOutcome } from '../core/index.js';
import { appliedRows, decidersText, decisionHead, decisionOf } from './decision.js';
import { subjectOf, waitsFor } from './interrupt-lines.js';
import { formatMoment } from './moment.js';
import { shownResult } from './result-facts.js';
import type { Drawing } from './status-line.js';
import { valueBlock } from './value-block.js';

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Options for drawing calls. */
export interface CallDrawing extends Drawing {
  /** The command that shows long values in full. Default: values are not cut. */
  readonly whole?: Shown | undefined;
}

/** Limits for a long value: rows shown, and columns per row. */
const MOST_ROWS = 40;
const MOST_COLUMNS = 1000;

/**
 * Returns the rows of a long value to show, with a row that states how many are left out. For program output,
 * the last rows are kept.
 */
function folded(
  rows: readonly string[],
  { theme, whole }: CallDrawing,
  keep: 'first' | 'last' = 'first',
): readonly string[] {
  if (whole === undefined) return rows;
  const { ellipsis } = theme.symbols;
  const mark = (words: string): string => theme.dim(`${ellipsis} ${words} (${whole} shows all)`);
  const left = rows.length - MOST_ROWS;
  const kept = left <= 0 ? rows : keep === 'first' ? rows.slice(0, MOST_ROWS) : rows.slice(left);
  const shown = kept.flatMap((row) => {
    const over = columnsOf(row) - MOST_COLUMNS;
    return over <= 0 ? [row] : [firstRow(row, MOST_COLUMNS), mark(count(over, 'more character'))];
  });
  if (left <= 0) return shown;
  return keep === 'first'
    ? [...shown, mark(count(left, 'more line'))]
    : [mark(`${count(left, 'line')} before these`), ...shown];
}

function foldedBlock(value: JsonValue, drawing: CallDrawing, columns: number): readonly string[] {
  return folded(valueBlock(value, drawing.theme, columns), drawing);
}

/** Formats a value after a label, on the same line if it fits. */
function labelled(label: string, value: JsonValue, drawing: CallDrawing): readonly string[] {
  const [first = '', ...rest] = foldedBlock(value, drawing, drawing.columns - label.length - 3);
  if (rest.length === 0) return [`${label} ${first}`];
  return [label, ...indented([first, ...rest])];
}

/** Describes an open interrupt: its subject, and the time at which it was asked. */
export function openLines(interrupt: Interrupt, { theme }: Drawing): readonly string[] {
  const subject = interrupt.source.type === 'tool' ? '' : `${escapeText(subjectOf(interrupt))} `;
  const what = `${subject}${waitsFor(interrupt)} (${escapeText(interrupt.id)}), asked ${formatMoment(interrupt.raisedAt)}`;
  return [theme.warning(`${theme.symbols.waiting} ${what}`)];
}

/** A decision, with lines that describe its outcome. */
export type ToldDecision = ResolvedInterrupt & { readonly standing: readonly Shown[] };

/** Describes a decision: the action, the actor, the time, and the input before and after an edit. */
export function decisionLines(resolved: ToldDecision, drawing: CallDrawing): readonly string[] {
  const { theme } = drawing;
  const { verb, text, value, edit } = decisionOf(resolved);
  const { symbol, style } = decisionHead(resolved, verb, theme);
  const when = resolved.resolvedAt === undefined ? '' : `, ${formatMoment(resolved.resolvedAt)}`;
  const who = theme.dim(`by ${decidersText(resolved)}${when} (${escapeText(resolved.interrupt.id)})`);
  const { source } = resolved.interrupt;
  const isNamed = source.type === 'node' && source.operation !== undefined;
  const what = isNamed ? ` ${escapeText(subjectOf(resolved.interrupt))}` : '';
  const head = `${style(`${symbol} ${verb}${what}`)} ${who}${text === '' ? '' : `: ${text}`}`;
  const inner = { ...drawing, columns: drawing.columns - 2 };
  const given =
    edit === undefined
      ? value === undefined
        ? []
        : foldedBlock(value, inner, inner.columns)
      : [...labelled('before', edit.before, inner), ...labelled('after ', edit.after, inner)];
  const standing = resolved.standing.map((line) => theme.warning(line));
  return [head, ...appliedRows(resolved, inner), ...indented([...given, ...standing])];
}

/** Formats a command's result: `✗ exit 1`, followed by its output. `undefined` for any other tool. */
function commandLines(name: string, output: JsonValue, drawing: CallDrawing): readonly string[] | undefined {
  const { tellsFailure, facts, text, rest } = shownResult(name, output);
  if (tellsFailure === undefined) return undefined;
  const { theme } = drawing;
  const head = tellsFailure ? theme.failure(theme.symbols.failed) : theme.success(theme.symbols.done);
  const lines = text === undefined ? [] : escapeLines(text.replace(/\n$/u, ''));
  const printed = lines.map((line) => `${theme.symbols.bar} ${line}`);
  return [
    [head, facts.join(' · ')].filter((word) => word !== '').join(' '),
    ...indented(rest === undefined ? [] : foldedBlock(rest, drawing, drawing.columns - 2)),
    ...indented(folded(printed, drawing, 'last')),
  ];
}

function outcomeLines(name: string, outcome: ToolOutcome, drawing: CallDrawing): readonly string[] {
  const { theme } = drawing;
  if (outcome.type === 'output')
    return [
      ...(commandLines(name, outcome.output, drawing) ??
        labelled(theme.success(theme.symbols.done), outcome.output, drawing)),
      ...mediaOf(outcome).map((words) => `  ${words}`),
    ];
  const verb = theme.failure(`${theme.symbols.failed} ${outcome.code.replaceAll('-', ' ')}`);
  return [`${verb} ${escapeText(outcome.message)}`];
}

function stateLines({ request, state }: Call, drawing: CallDrawing): readonly string[] {
  const { theme } = drawing;
  switch (state.status) {
    case 'ready':
      return [theme.dim('not started yet')];
    case 'started':
      return [theme.warning(`started ${formatMoment(state.startedAt)}, not finished`)];
    case 'interrupted':
      return openLines(state.interrupt, drawing);
    case 'settled':
      return outcomeLines(request.name, state.outcome, drawing);
  }
}

/** Formats a tool call from request to outcome. `decided` contains its decisions, in order. */
export function callLines(
  call: Call,
  decided: readonly ToldDecision[],
  drawing: CallDrawing,
): readonly string[] {
  const { theme, columns } = drawing;
  const { name, input } = call.request;
  const inner = { ...drawing, columns: columns - 2 };
  const head = `${theme.dim(theme.symbols.started)} ${theme.tool(escapeText(name))}`;
  const steps = [
    ...decided.flatMap((resolved) => decisionLines(resolved, inner)),
    ...stateLines(call, inner),
  ];
  return [...labelled(head, input, drawing), ...indented(steps)];
}
