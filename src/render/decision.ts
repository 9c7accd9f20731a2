import { assertNever, columnsOf, escapeText } from '../core/index.js';
import type { Actor, JsonValue, ResolvedInterrupt } from '../core/index.js';
import { subjectOf } from './interrupt-lines.js';
import { statusLine } from './status-line.js';
import type { Drawing, StatusHead } from './status-line.js';
import type { Theme } from './theme.js';
import { valueLine } from './value-line.js';

/** A decision in our own words, with what was given for it. */
export interface Decision {
  readonly look: 'done' | 'edited' | 'failed' | 'cancelled';
  readonly verb: string;
  /** Safe text: a reason, a note. */
  readonly text: string;
  /** The value that was given: an answer, a patch. */
  readonly value?: JsonValue;
  /** Both inputs of an edit. */
  readonly edit?: { readonly before: JsonValue; readonly after: JsonValue };
}

const said = (look: Decision['look'], verb: string, text = ''): Decision => ({
  look,
  verb,
  text: escapeText(text),
});

/** What a resolution says. */
export function decisionOf({ interrupt, resolution }: ResolvedInterrupt): Decision {
  switch (resolution.action) {
    case 'respond':
      return { ...said('done', 'answered'), value: resolution.output };
    case 'restart': {
      const { source } = interrupt;
      if (resolution.input === undefined || source.type !== 'tool') return said('done', 'approved');
      return { ...said('edited', 'edited'), edit: { before: source.input, after: resolution.input } };
    }
    case 'retry':
      return said('done', 'runs again');
    case 'reject':
      return said('failed', 'rejected', resolution.reason);
    case 'cancel':
      return said('cancelled', 'cancelled', resolution.reason);
    case 'rerun':
      return said('done', 'runs again', resolution.guidance);
    case 'defer':
      return said('done', 'deferred', resolution.note);
    case 'update-state':
      return { ...said('edited', 'state changed'), value: resolution.patch };
    case 'change-condition':
      return { ...said('edited', 'condition changed'), value: resolution.patch };
    case 'extend':
      return said('done', `extended by ${resolution.by}`);
    case 'continue':
      return said('done', 'continues');
    case 'skip':
      return said('cancelled', 'skipped');
    case 'go-back':
      return said('edited', 'goes back', resolution.to);
    case 'goto':
      return said('edited', 'goes to', resolution.node);
    case 'edit-input':
      return { ...said('edited', 'input edited'), value: resolution.value };
    case 'edit-output':
      return { ...said('edited', 'output edited'), value: resolution.value };
    case 'sequence':
      return said('edited', resolution.actions.map(({ action }) => action).join(', '));
    case 'pause':
      return said('cancelled', 'paused');
    default:
      return assertNever(resolution);
  }
}

/** Who decided, as safe text: `ann at the terminal`, `stdin line 3`, `rule bank/*`. */
export function actorText(by: Actor): string {
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
