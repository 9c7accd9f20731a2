import { escapeText, isJsonObject } from '../core/index.js';
import type { JsonValue, ProviderCall, ToolOutcome } from '../core/index.js';
import { statusLine } from './status-line.js';
import type { Drawing } from './status-line.js';
import { valueLine } from './value-line.js';
import { cutToWidth } from './width.js';

/** `→ transfer_money  to: "ABC123", amount: 200` */
export function startedLine(name: string, input: JsonValue, drawing: Drawing): string {
  const { theme, columns } = drawing;
  return statusLine(
    { symbol: theme.symbols.started, style: theme.dim, name },
    valueLine(input, columns),
    drawing,
  );
}

/** `→ web_search run by the provider  query: "who wins"` */
export function providerLine({ name, input }: ProviderCall, drawing: Drawing): string {
  const { theme, columns } = drawing;
  return statusLine(
    { symbol: theme.symbols.started, style: theme.dim, name, verb: 'run by the provider' },
    valueLine(input, columns),
    drawing,
  );
}

/** Lines of a long text that are shown. */
const TEXT_LINES = 3;

/** `✓ transfer_money  moved: true`, `✗ transfer_money failed  no such account`; a text of several lines as its first ones. */
export function settledLines(name: string, outcome: ToolOutcome, drawing: Drawing): readonly string[] {
  const { theme, columns } = drawing;
  if (outcome.type === 'output') {
    const { text, rest } = textIn(outcome.output);
    const head = { symbol: theme.symbols.done, style: theme.success, name };
    const line = statusLine(head, rest === undefined ? '' : valueLine(rest, columns), drawing);
    return [line, ...(text === undefined ? [] : textLines(text, drawing))];
  }
  const { code, message } = outcome;
  const head = { symbol: theme.symbols.failed, style: theme.failure, name, verb: code.replaceAll('-', ' ') };
  const [first = '', ...more] = message.trimEnd().split('\n');
  return [
    statusLine(head, escapeText(first), drawing),
    ...(more.length === 0 ? [] : textLines(more.join('\n'), drawing)),
  ];
}

/** The one text of several lines in an output, and what else it holds. */
function textIn(output: JsonValue): { readonly text?: string; readonly rest?: JsonValue } {
  if (typeof output === 'string' && output.trimEnd().includes('\n')) return { text: output };
  if (!isJsonObject(output)) return { rest: output };
  for (const [key, text] of Object.entries(output)) {
    if (typeof text === 'string' && text.trimEnd().includes('\n')) {
      const rest = Object.entries(output).filter(([other, value]) => other !== key && value !== null);
      return { text, rest: Object.fromEntries(rest) };
    }
  }
  return { rest: output };
}

function textLines(text: string, { theme, columns }: Drawing): readonly string[] {
  const lines = text.trimEnd().split('\n');
  const shown = lines
    .slice(0, TEXT_LINES)
    .map((line) => cutToWidth(`    ${escapeText(line.slice(0, 2000))}`, columns - 1, theme.symbols.ellipsis));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`    ${theme.symbols.ellipsis} ${lines.length} lines`] : [])].map(
    (line) => theme.dim(line),
  );
}

/** `  transfer_money: text of the tool` */
export function progressLine(name: string, text: string, { theme, columns }: Drawing): string {
  const shown = `  ${escapeText(name)}: ${escapeText(text.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}
