import { escapeText, mediaOf } from '../core/index.js';
import type { Call, Interrupt, ResolvedInterrupt, Shown, ToolOutcome } from '../core/index.js';
import { appliedRows, decidersText, decisionHead, decisionOf } from './decision.js';
import { subjectOf, waitsFor } from './interrupt-lines.js';
import { formatMoment } from './moment.js';
import type { Drawing } from './status-line.js';
import { valueBlock } from './value-block.js';

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Formats a value after a label, on the same line if it fits. */
function labelled(label: string, value: Call['input'], { theme, columns }: Drawing): readonly string[] {
  const [first = '', ...rest] = valueBlock(value, theme, columns - label.length - 3);
  if (rest.length === 0) return [`${label} ${first}`];
  return [label, ...indented([first, ...rest])];
}

/** Describes an open interrupt: its subject and its age. */
export function openLines(interrupt: Interrupt, { theme }: Drawing): readonly string[] {
  const subject = interrupt.source.type === 'tool' ? '' : `${escapeText(subjectOf(interrupt))} `;
  const what = `${subject}${waitsFor(interrupt)} (${escapeText(interrupt.id)}), asked ${formatMoment(interrupt.raisedAt)}`;
  return [theme.warning(`${theme.symbols.waiting} ${what}`)];
}

/** A decision and its outcome, one line each. */
export type ToldDecision = ResolvedInterrupt & { readonly standing: readonly Shown[] };

/** Describes a decision: who decided what and when, with both inputs of an edit. */
export function decisionLines(resolved: ToldDecision, drawing: Drawing): readonly string[] {
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
        : valueBlock(value, theme, inner.columns)
      : [...labelled('before', edit.before, inner), ...labelled('after ', edit.after, inner)];
  const standing = resolved.standing.map((line) => theme.warning(line));
  return [head, ...appliedRows(resolved, inner), ...indented([...given, ...standing])];
}

function outcomeLines(outcome: ToolOutcome, drawing: Drawing): readonly string[] {
  const { theme } = drawing;
  if (outcome.type === 'output')
    return [
      ...labelled(theme.success(theme.symbols.done), outcome.output, drawing),
      ...mediaOf(outcome).map((words) => `  ${words}`),
    ];
  const verb = theme.failure(`${theme.symbols.failed} ${outcome.code.replaceAll('-', ' ')}`);
  return [`${verb} ${escapeText(outcome.message)}`];
}

function stateLines({ state }: Call, drawing: Drawing): readonly string[] {
  const { theme } = drawing;
  switch (state.status) {
    case 'ready':
      return [theme.dim('not started yet')];
    case 'started':
      return [theme.warning(`started ${formatMoment(state.startedAt)}, not finished`)];
    case 'interrupted':
      return openLines(state.interrupt, drawing);
    case 'settled':
      return outcomeLines(state.outcome, drawing);
  }
}

/** A tool call from request to outcome; `decided` are the answers about it, in their order. */
export function callLines(call: Call, decided: readonly ToldDecision[], drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  const { name, input } = call.request;
  const inner = { theme, columns: columns - 2 };
  const head = `${theme.dim(theme.symbols.started)} ${theme.tool(escapeText(name))}`;
  const steps = [
    ...decided.flatMap((resolved) => decisionLines(resolved, inner)),
    ...stateLines(call, inner),
  ];
  return [...labelled(head, input, drawing), ...indented(steps)];
}
