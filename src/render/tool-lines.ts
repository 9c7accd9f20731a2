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

/** `→ transfer_money to: ABC123, amount: 200`, or with the tool's own title: ``→ Run `npm test` ``. */
export function startedLine(call: Parameters<typeof callTitleOf>[0], drawing: Drawing): string {
  const { theme, columns } = drawing;
  const { name, input } = call;
  const { started, ellipsis } = theme.symbols;
  const title = callTitleOf(call);
  return title === undefined
    ? statusLine({ symbol: started, style: theme.dim, name }, valueLine(input, columns), drawing)
    : `${theme.dim(started)} ${theme.tool(cutToWidth(title, columns - columnsOf(started) - 2, ellipsis))}`;
}

/** `→ web_search run by the provider  query: who wins` */
export function providerLine({ name, input }: ProviderCall, drawing: Drawing): string {
  const { theme, columns } = drawing;
  return statusLine(
    { symbol: theme.symbols.started, style: theme.dim, name, verb: 'run by the provider' },
    valueLine(input, columns),
    drawing,
  );
}

/** `✓ web_search  5 results`, `✗ web_search  max_uses_exceeded` */
export function providerResultLine({ name, facts, failed }: ProviderResult, drawing: Drawing): string {
  const { symbols, failure, success } = drawing.theme;
  const head = failed ? { symbol: symbols.failed, style: failure } : { symbol: symbols.done, style: success };
  return statusLine({ ...head, name }, escapeText(facts), drawing);
}

/** Lines of a long text that are shown. */
const TEXT_LINES = 3;
/** Rows of the reason of a failure that are shown. */
const REASON_LINES = 6;

/** The symbol and word of an outcome. */
interface ResultHead {
  readonly symbol: string;
  readonly style: Style;
  readonly verb?: string;
}

/** A call's facts apart from its outcome. */
export interface SettledCall {
  readonly name: string;
  readonly tookMs?: number | undefined;
  /** The line above names the call. */
  readonly isTold: boolean;
  /** Key that expands the text, if there is one. */
  readonly unfold?: string | undefined;
}

/**
 * `✓ transfer_money moved: true`, `✗ transfer_money failed no such account`; below a line that names the call
 * ` ✓ 0.8 s · exit 0`; a multi-line text by its first lines.
 */
export function settledLines(call: SettledCall, outcome: ToolOutcome, drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  const took = tookFact(call.tookMs);
  if (outcome.type === 'output') {
    const { facts, text, rest, tellsFailure = false } = shownResult(call.name, outcome.output);
    const head = tellsFailure
      ? { symbol: theme.symbols.failed, style: theme.failure }
      : { symbol: theme.symbols.done, style: theme.success };
    const values = rest === undefined ? [] : [valueLine(rest, columns)];
    const line = resultLine(call, head, [...took, ...facts, ...mediaOf(outcome), ...values], drawing);
    return [line, ...(text === undefined ? [] : textLines(text, call.unfold, drawing))];
  }
  const { code, message } = outcome;
  const head = { symbol: theme.symbols.failed, style: theme.failure, verb: code.replaceAll('-', ' ') };
  const [first = '', ...more] = message.trimEnd().split('\n');
  return [
    ...failureLines(call, head, [took, escapeText(first)], drawing),
    ...(more.length === 0 ? [] : textLines(more.join('\n'), call.unfold, drawing)),
  ];
}

/** Puts a reason that is longer than the row below it, wrapped at words. */
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

/** The text of an outcome that is folded to its first lines; `undefined` where all of it is shown. */
export function foldedText(name: string, outcome: ToolOutcome): string | undefined {
  const text =
    outcome.type === 'output'
      ? shownResult(name, outcome.output).text
      : outcome.message.trimEnd().split('\n').slice(1).join('\n');
  return text !== undefined && linesOf(text).length > TEXT_LINES ? text : undefined;
}

/** A folded text in full, as safe lines. */
export function unfoldedLines(text: string): readonly string[] {
  return linesOf(text).map((line) => `    ${escapeText(line)}`);
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

function resultLine(
  { name, isTold }: SettledCall,
  head: ResultHead,
  facts: readonly string[],
  drawing: Drawing,
): string {
  const text = facts.join(' · ');
  if (!isTold) return statusLine({ ...head, name }, text, drawing);
  const { theme, columns } = drawing;
  const { symbol, style, verb } = head;
  const before = `  ${style(symbol)}${verb === undefined ? '' : ` ${style(verb)}`}`;
  const room = columns - columnsOf(symbol) - (verb === undefined ? 0 : verb.length + 1) - 5;
  const rest = cutToWidth(text, Math.max(0, room), theme.symbols.ellipsis);
  return rest === '' ? before : `${before} ${theme.dim(rest)}`;
}

function textLines(text: string, unfold: string | undefined, { theme, columns }: Drawing): readonly string[] {
  const lines = linesOf(text);
  const { ellipsis } = theme.symbols;
  const shown = lines
    .slice(0, TEXT_LINES)
    .map((line) => cutToWidth(`    ${escapeText(line.slice(0, 2000))}`, columns - 1, ellipsis));
  const how = unfold === undefined ? '' : ` (${unfold} to expand)`;
  const left =
    lines.length > shown.length
      ? [`    ${ellipsis} +${count(lines.length - shown.length, 'line')}${how}`]
      : [];
  return [...shown, ...left].map((line) => theme.dim(line));
}

/** `  transfer_money: text of the tool` */
export function progressLine(name: string, text: string, { theme, columns }: Drawing): string {
  const shown = `  ${escapeText(name)}: ${escapeText(text.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}

/** ` deploy: 3 of 5 hosts`: progress reported by workflow code or a node. */
export function emittedLine(
  { data, scope = ROOT_PATH }: TransientEvent & { readonly type: 'emitted' },
  { theme, columns }: Drawing,
): string {
  const words = bareText(data);
  const shown = `  ${escapeText(pathText(scope))}: ${escapeText(words.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}
