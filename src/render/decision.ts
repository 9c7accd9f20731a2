import {
  assertNever,
  columnsOf,
  doneOf,
  escapeText,
  isActor,
  shownAnswer,
  UNKNOWN_ACTOR,
} from '../core/index.js';
import type { Actor, Done, JsonValue, ResolvedInterrupt } from '../core/index.js';
import { subjectOf } from './interrupt-lines.js';
import { statusLine } from './status-line.js';
import type { Drawing, StatusHead } from './status-line.js';
import type { Theme } from './theme.js';
import { valueLine } from './value-line.js';

/** A decision in our own words, with what was given for it; safe for a terminal. */
export interface ShownDecision {
  readonly look: Done['look'];
  readonly verb: string;
  /** A reason, a note. */
  readonly text: string;
  /** The value that was given: an answer, a patch. */
  readonly value?: JsonValue;
  /** Both inputs of an edit. */
  readonly edit?: { readonly before: JsonValue; readonly after: JsonValue };
}

/** What a resolution says. */
export function decisionOf({ interrupt, resolution }: ResolvedInterrupt): ShownDecision {
  const { look, verb, of, text = '', value } = doneOf(interrupt, resolution);
  const shown = { look, verb: of === undefined ? verb : `${of} ${verb}`, text: escapeText(text) };
  const { source } = interrupt;
  if (value === undefined) return shown;
  if (resolution.action === 'restart' && source.type === 'tool')
    return { ...shown, edit: { before: source.input, after: value } };
  return { ...shown, value: shownAnswer(interrupt, value) };
}

/** Who decided, as safe text: `ann at the terminal`, `stdin line 3`, `rule bank/*`. */
export function actorText(by: Actor): string {
  if (!isActor(by)) return UNKNOWN_ACTOR;
  switch (by.type) {
    case 'person':
      return by.via === 'terminal'
        ? `${escapeText(by.name)} at the terminal`
        : `${escapeText(by.name)} by ${by.via}`;
    case 'script':
      return by.place === undefined ? by.via : `${by.via} ${escapeText(by.place)}`;
    case 'rule':
      return `rule ${escapeText(by.rule)}`;
    default:
      return assertNever(by);
  }
}

const STYLES = { done: 'success', edited: 'warning', failed: 'failure', cancelled: 'warning' } as const;

/** Symbol, style and name of the line for a decision. */
export function decisionHead(resolved: ResolvedInterrupt, verb: string, theme: Theme): StatusHead {
  const { look } = decisionOf(resolved);
  return {
    symbol: theme.symbols[look],
    style: theme[STYLES[look]],
    name: subjectOf(resolved.interrupt),
    verb,
  };
}

/** `✎ transfer_money edited  amount: 200 → amount: 150`; an edit that does not fit one line has one for each input. */
export function decidedLines(resolved: ResolvedInterrupt, drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  const { verb, text, value, edit } = decisionOf(resolved);
  // The person at this terminal knows who decided.
  const isHere = resolved.by.type === 'person' && resolved.by.via === 'terminal';
  const head = decisionHead(resolved, isHere ? verb : `${verb} by ${actorText(resolved.by)}`, theme);
  if (edit === undefined) {
    return [statusLine(head, value === undefined ? text : valueLine(value, columns), drawing)];
  }
  const both = `${valueLine(edit.before, columns)} ${theme.symbols.arrow} ${valueLine(edit.after, columns)}`;
  const whole = statusLine(head, both, drawing);
  // The arrow and what is behind it are what the line is for: it is whole or it is three.
  if (columnsOf(`${head.symbol} ${escapeText(head.name)} ${head.verb ?? ''}  ${both}`) < columns)
    return [whole];
  const room = columns - 11;
  return [
    statusLine(head, '', drawing),
    theme.dim(`  before  ${valueLine(edit.before, room)}`),
    theme.dim(`  after   ${valueLine(edit.after, room)}`),
  ];
}
