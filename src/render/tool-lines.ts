import {
  bareText,
  callTitleOf,
  columnsOf,
  count,
  escapeText,
  mediaOf,
  pathText,
  ROOT_PATH,
  wrapWords,
} from '../core/index.js';
import type { ProviderCall, ProviderResult, ToolOutcome, TransientEvent } from '../core/index.js';
import { statusLine } from './status-line.js';
import type { Drawing } from './status-line.js';
import { shownResult, tookFact } from './result-facts.js';
import type { Style } from './theme.js';
import { valueLine } from './value-line.js';
import { cutToWidth } from './width.js';

/**
 * Formats the start of a call: `→ transfer_money to: ABC123, amount: 200`, or with the tool's own title: ``→
 * Run `npm test` ``.
 */
export function startedLine(call: Parameters<typeof callTitleOf>[0], drawing: Drawing): string {
  const { theme, columns } = drawing;
  const { name, input } = call;
  const { started, ellipsis } = theme.symbols;
  const title = callTitleOf(call);
  return title === undefined
    ? statusLine({ symbol: started, style: theme.dim, name }, valueLine(input, columns), drawing)
    : `${theme.dim(started)} ${theme.tool(cutToWidth(title, columns - columnsOf(started) - 2, ellipsis))}`;
}

/** Formats a call run by the provider: `→ web_search run by the provider  query: who wins`. */
export function providerLine({ name, input, by }: ProviderCall, drawing: Drawing): string {
  const { theme, columns } = drawing;
  return statusLine(
    { symbol: theme.symbols.started, style: theme.dim, name, verb: `run by the ${by ?? 'provider'}` },
    valueLine(input, columns),
    drawing,
  );
}

/**
 * Formats the result of a call run by the provider: `✓ web_search 5 results`, `✗ web_search
 * max_uses_exceeded`.
 */
export function providerResultLine({ name, facts, failed }: ProviderResult, drawing: Drawing): string {
  const { symbols, failure, success } = drawing.theme;
  const head = failed ? { symbol: symbols.failed, style: failure } : { symbol: symbols.done, style: success };
  return statusLine({ ...head, name }, escapeText(facts), drawing);
}

/** Maximum number of lines of a long text to show. */
const TEXT_LINES = 3;
/** Maximum number of rows used to show the reason for a failure. */
const REASON_LINES = 6;

/** Symbol and word for an outcome. */
interface ResultHead {
  readonly symbol: string;
  readonly style: Style;
  readonly verb?: string;
}

/** Details of a call other than its outcome. */
export interface SettledCall {
  readonly name: string;
  /** Safe text that names the call, used if the line above does not name it. */
  readonly words: string;
  readonly tookMs?: number | undefined;
  /** Whether the line above names the call. */
  readonly isTold?: boolean;
  /**
   * Whether the decision has already shown what the call does, in which case a successful result does not
   * need a line.
   */
  readonly isShown?: boolean;
  /** The key that expands the text, if any. */
  readonly unfold?: string | undefined;
}

/** Tools whose effect is exactly what their decision shows. */
const SHOWN_BY_DECISION: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/**
 * Formats the outcome of a call: `✓ Transfer 200 to ABC123 · moved: true`, `✗ Transfer 200 to ABC123 failed ·
 * no such account`, or ` ✓ 0.8 s · exit 0` below a line that already names the call. Multi-line text is
 * shortened. Empty for a change that the decision has already shown.
 */
export function settledLines(call: SettledCall, outcome: ToolOutcome, drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  if (outcome.type === 'output') {
    if (call.isShown === true && SHOWN_BY_DECISION.has(call.name)) return [];
    const { facts, text, rest, isLog = false, tellsFailure = false } = shownResult(call.name, outcome.output);
    const head = tellsFailure
      ? { symbol: theme.symbols.failed, style: theme.failure }
      : { symbol: theme.symbols.done, style: theme.success };
    const values = rest === undefined ? [] : [valueLine(rest, columns)];
    const took = facts.some((fact) => fact.startsWith('stopped ')) ? [] : tookFact(call.tookMs);
    const line = resultLine(call, head, [...took, ...facts, ...mediaOf(outcome), ...values], drawing);
    return [line, ...(text === undefined ? [] : textLines(text, { unfold: call.unfold, isLog }, drawing))];
  }
  const took = tookFact(call.tookMs);
  const { code, message } = outcome;
  const head = { symbol: theme.symbols.failed, style: theme.failure, verb: code.replaceAll('-', ' ') };
  const [first = '', ...more] = message.trimEnd().split('\n');
  return [
    ...failureLines(call, head, [took, escapeText(first)], drawing),
    ...(more.length === 0 ? [] : textLines(more.join('\n'), { unfold: call.unfold, isLog: false }, drawing)),
  ];
}

/**
 * Formats a failure. If the reason does not fit on the line, it is moved to the rows below and wrapped at
 * words.
 */
function failureLines(
  call: SettledCall,
  head: ResultHead,
  [took, reason]: readonly [readonly string[], string],
  drawing: Drawing,
): readonly string[] {
  const line = resultLine(call, head, [...took, reason], drawing);
  if (line.includes(reason)) return [line];
  const { theme, columns } = drawing;
  const rows = wrapWords(reason, Math.max(8, columns - 5)).map((row) => row.trimEnd());
  const shown = rows.slice(0, REASON_LINES);
  const left = rows.length > shown.length ? theme.symbols.ellipsis : '';
  return [
    resultLine(call, head, took, drawing),
    ...shown.map((row, at) => theme.dim(`    ${row}${at === shown.length - 1 ? left : ''}`)),
  ];
}

/** Length in characters beyond which a line may be cut when shown. */
const SHORT_LINE = 60;

/** Returns the text of an outcome that is shown only in part; `undefined` if it is shown in full. */
export function foldedText(name: string, outcome: ToolOutcome): string | undefined {
  const text =
    outcome.type === 'output'
      ? shownResult(name, outcome.output).text
      : outcome.message.trimEnd().split('\n').slice(1).join('\n');
  if (text === undefined) return undefined;
  const lines = linesOf(text);
  return lines.length > TEXT_LINES || lines.some(({ length }) => length > SHORT_LINE) ? text : undefined;
}

/** Converts untrusted text to safe lines without cutting anything. */
export function outputLines(text: string): readonly string[] {
  return linesOf(text).map(outputLine);
}

/** Width of a terminal's tab stops, in columns. */
const TAB = 8;

/** Converts a line of output to a safe line, expanding tabs as a terminal does. */
export function outputLine(line: string): string {
  if (!line.includes('\t')) return escapeText(line);
  let shown = '';
  let columns = 0;
  line.split('\t').forEach((piece, index) => {
    const room = index === 0 ? 0 : TAB - (columns % TAB);
    const safe = escapeText(piece);
    shown += ' '.repeat(room) + safe;
    columns += room + columnsOf(safe);
  });
  return shown;
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

function resultLine(
  { words, isTold = false }: SettledCall,
  head: ResultHead,
  facts: readonly string[],
  drawing: Drawing,
): string {
  const text = facts.join(' · ');
  const { theme, columns } = drawing;
  const { symbol, style, verb } = head;
  if (!isTold) {
    const { ellipsis } = theme.symbols;
    const said = verb === undefined ? '' : ` ${style(verb)}`;
    // What came of it has some room beside any name.
    const room = columns - columnsOf(symbol) - (verb === undefined ? 0 : verb.length + 1) - 3;
    const name = cutToWidth(
      words,
      Math.max(8, room - Math.min(columnsOf(text) + 3, Math.floor(room / 2))),
      ellipsis,
    );
    const shown = cutToWidth(text, Math.max(0, room - columnsOf(name) - 3), ellipsis);
    const rest = shown === '' ? '' : theme.dim(` · ${shown}`);
    return `${style(symbol)} ${theme.tool(name)}${said}${rest}`;
  }
  const before = `  ${style(symbol)}${verb === undefined ? '' : ` ${style(verb)}`}`;
  const room = columns - columnsOf(symbol) - (verb === undefined ? 0 : verb.length + 1) - 5;
  const rest = cutToWidth(text, Math.max(0, room), theme.symbols.ellipsis);
  return rest === '' ? before : `${before} ${theme.dim(rest)}`;
}

/**
 * Formats the first lines of a text and the number of remaining lines. For program output, formats the last
 * lines instead.
 */
function textLines(
  text: string,
  { unfold, isLog }: { readonly unfold: string | undefined; readonly isLog: boolean },
  { theme, columns }: Drawing,
): readonly string[] {
  const lines = linesOf(text);
  const { ellipsis } = theme.symbols;
  const part = isLog ? lastOf(lines) : lines.slice(0, TEXT_LINES);
  const shown = part
    .filter((line) => !isLog || line.trim() !== '')
    .map((line) => cutToWidth(`    ${outputLine(line.slice(0, 2000))}`, columns - 1, ellipsis));
  const left = lines.length - part.length;
  const how = unfold === undefined ? '' : ` · ${unfold} shows all`;
  const words = `${count(left, 'more line')}${isLog && how === '' ? ' above' : ''}`;
  const rest = left === 0 ? [] : [`    ${ellipsis} ${words}${how}`];
  return (isLog ? [...rest, ...shown] : [...shown, ...rest]).map((line) => theme.dim(line));
}

/** Returns the last non-empty lines, including the empty ones between them. */
function lastOf(lines: readonly string[]): readonly string[] {
  let said = 0;
  const first = lines.findLastIndex((line) => {
    if (line.trim() !== '') said += 1;
    return said === TEXT_LINES;
  });
  return lines.slice(Math.max(0, first));
}

/** Formats a progress line: `  transfer_money: text of the tool`. */
export function progressLine(name: string, text: string, { theme, columns }: Drawing): string {
  const shown = `  ${escapeText(name)}: ${escapeText(text.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}

/** Formats progress reported by workflow code or a node: ` deploy: 3 of 5 hosts`. */
export function emittedLine(
  { data, scope = ROOT_PATH }: TransientEvent & { readonly type: 'emitted' },
  { theme, columns }: Drawing,
): string {
  const words = bareText(data);
  const shown = `  ${escapeText(pathText(scope))}: ${escapeText(words.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}
