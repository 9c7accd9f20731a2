import { assertNever, escapeText } from '../core/index.js';
import type {
  Actor,
  Interrupt,
  JsonValue,
  Resolution,
  ResolvedInterrupt,
  ToolOutcome,
} from '../core/index.js';
import type { Style, Theme } from './theme.js';
import { valueLine } from './value-line.js';
import { cutToWidth, textWidth } from './width.js';

/** The part of a line that comes before the value or the message. */
interface Head {
  readonly symbol: string;
  readonly style: Style;
  readonly name: string;
  /** What happened, in our own words. */
  readonly verb?: string;
}

/** One line: symbol, name, verb, and as much of the safe text as fits. */
function line({ symbol, style, name, verb = '' }: Head, text: string, theme: Theme, columns: number): string {
  const shownName = cutToWidth(escapeText(name), Math.max(8, columns - 20), theme.symbols.ellipsis);
  const before = textWidth(symbol) + 1 + textWidth(shownName) + (verb === '' ? 0 : 1 + textWidth(verb));
  const rest = cutToWidth(text, Math.max(10, columns - before - 3), theme.symbols.ellipsis);
  const told = verb === '' ? '' : ` ${style(verb)}`;
  return `${style(symbol)} ${theme.tool(shownName)}${told}${rest === '' ? '' : `  ${theme.dim(rest)}`}`;
}

/** What a renderer knows when it draws a line. */
export interface Drawing {
  readonly theme: Theme;
  readonly columns: number;
}

/** `→ transfer_money  to: "ABC123", amount: 200` */
export function startedLine(name: string, input: JsonValue, { theme, columns }: Drawing): string {
  return line(
    { symbol: theme.symbols.started, style: theme.dim, name },
    valueLine(input, columns),
    theme,
    columns,
  );
}

/** `✓ transfer_money  moved: true`, `✗ transfer_money failed  no such account` */
export function settledLine(name: string, outcome: ToolOutcome, { theme, columns }: Drawing): string {
  if (outcome.type === 'output') {
    const shown = valueLine(outcome.output, columns);
    return line({ symbol: theme.symbols.done, style: theme.success, name }, shown, theme, columns);
  }
  const { code, message } = outcome;
  const head = { symbol: theme.symbols.failed, style: theme.failure, name, verb: code.replaceAll('-', ' ') };
  return line(head, escapeText(message), theme, columns);
}

/** `  transfer_money  text of the tool` */
export function progressLine(name: string, text: string, { theme, columns }: Drawing): string {
  return theme.dim(cutToWidth(`  ${escapeText(name)}: ${escapeText(text.slice(0, 2000))}`, columns - 1));
}

/** What an interrupt is about: the tool, the node, or the run. */
export function subjectOf(interrupt: Interrupt): string {
  const { source } = interrupt;
  switch (source.type) {
    case 'tool':
      return source.name;
    case 'node':
      return source.nodeId;
    case 'run':
      return 'run';
    default:
      return assertNever(source);
  }
}

/** What an interrupt waits for, in our own words. */
export function waitsFor(interrupt: Interrupt): string {
  switch (interrupt.kind) {
    case 'question':
      return 'asks you something';
    case 'confirmation':
      return 'needs your confirmation';
    case 'gate':
      return 'waits at a gate';
    case 'pause':
      return 'is paused';
    case 'error':
      return 'failed and waits for your decision';
    case 'in-doubt':
      return 'may have run, its outcome is unknown';
    case 'limit':
      return 'reached a limit';
    default:
      return assertNever(interrupt.kind);
  }
}

/** `● transfer_money needs your confirmation  to: "ABC123", amount: 200` */
export function waitingLine(interrupt: Interrupt, { theme, columns }: Drawing): string {
  const { source, payload } = interrupt;
  const shown = source.type === 'tool' ? source.input : payload;
  const head = {
    symbol: theme.symbols.waiting,
    style: theme.warning,
    name: subjectOf(interrupt),
    verb: `${waitsFor(interrupt)} (${escapeText(interrupt.id)})`,
  };
  return line(head, valueLine(shown, columns), theme, columns);
}

/** Who decided, where that is worth saying: not the person at this terminal. */
export function decidedBy(by: Actor): string {
  switch (by.type) {
    case 'person':
      return by.via === 'terminal' ? '' : `by ${escapeText(by.name)}`;
    case 'script':
      return `by ${by.via}${by.place === undefined ? '' : ` ${escapeText(by.place)}`}`;
    case 'rule':
      return `by rule ${escapeText(by.rule)}`;
    default:
      return assertNever(by);
  }
}

interface Decision {
  readonly look: 'done' | 'edited' | 'failed' | 'cancelled';
  readonly verb: string;
  readonly text: string;
}

function restartDecision(
  interrupt: Interrupt,
  resolution: Resolution & { action: 'restart' },
  drawing: Drawing,
): Decision {
  if (resolution.input === undefined) return { look: 'done', verb: 'approved', text: '' };
  const { columns, theme } = drawing;
  const before = interrupt.source.type === 'tool' ? valueLine(interrupt.source.input, columns) : '';
  const after = valueLine(resolution.input, columns);
  return { look: 'edited', verb: 'edited', text: `${before} ${theme.symbols.arrow} ${after}` };
}

function decisionOf({ interrupt, resolution }: ResolvedInterrupt, drawing: Drawing): Decision {
  const { columns } = drawing;
  switch (resolution.action) {
    case 'respond':
      return { look: 'done', verb: 'answered', text: valueLine(resolution.output, columns) };
    case 'restart':
      return restartDecision(interrupt, resolution, drawing);
    case 'retry':
      return { look: 'done', verb: 'runs again', text: '' };
    case 'reject':
      return { look: 'failed', verb: 'rejected', text: escapeText(resolution.reason ?? '') };
    case 'cancel':
      return { look: 'cancelled', verb: 'cancelled', text: escapeText(resolution.reason ?? '') };
    case 'rerun':
      return { look: 'done', verb: 'runs again', text: escapeText(resolution.guidance ?? '') };
    case 'defer':
      return { look: 'done', verb: 'deferred', text: escapeText(resolution.note) };
    case 'update-state':
      return { look: 'edited', verb: 'state changed', text: valueLine(resolution.patch, columns) };
    case 'change-condition':
      return { look: 'edited', verb: 'condition changed', text: valueLine(resolution.patch, columns) };
    case 'extend':
      return { look: 'done', verb: `extended by ${resolution.by}`, text: '' };
    case 'continue':
      return { look: 'done', verb: 'continues', text: '' };
    case 'skip':
      return { look: 'cancelled', verb: 'skipped', text: '' };
    case 'go-back':
      return { look: 'edited', verb: 'goes back', text: escapeText(resolution.to ?? '') };
    case 'pause':
      return { look: 'cancelled', verb: 'paused', text: '' };
    default:
      return assertNever(resolution);
  }
}

const STYLES = { done: 'success', edited: 'warning', failed: 'failure', cancelled: 'warning' } as const;

/** `✎ transfer_money edited  amount: 200 → amount: 150`; an edit that does not fit one line has one for each input. */
export function decidedLines(resolved: ResolvedInterrupt, drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  const { look, verb, text } = decisionOf(resolved, drawing);
  const by = decidedBy(resolved.by);
  const head = {
    symbol: theme.symbols[look],
    style: theme[STYLES[look]],
    name: subjectOf(resolved.interrupt),
    verb: by === '' ? verb : `${verb} ${by}`,
  };
  const whole = line(head, text, theme, columns);
  const { resolution, interrupt } = resolved;
  const isEdit =
    resolution.action === 'restart' && resolution.input !== undefined && interrupt.source.type === 'tool';
  if (!isEdit || textWidth(text) + textWidth(head.name) + textWidth(head.verb) + 6 <= columns) return [whole];
  const room = columns - 10;
  return [
    line(head, '', theme, columns),
    theme.dim(`  before  ${valueLine(interrupt.source.input, room)}`),
    theme.dim(`  after   ${valueLine(resolution.input, room)}`),
  ];
}
