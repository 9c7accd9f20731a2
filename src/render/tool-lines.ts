import { escapeText } from '../core/index.js';
import type { JsonValue, ToolOutcome } from '../core/index.js';
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

/** `✓ transfer_money  moved: true`, `✗ transfer_money failed  no such account` */
export function settledLine(name: string, outcome: ToolOutcome, drawing: Drawing): string {
  const { theme, columns } = drawing;
  if (outcome.type === 'output') {
    const head = { symbol: theme.symbols.done, style: theme.success, name };
    return statusLine(head, valueLine(outcome.output, columns), drawing);
  }
  const { code, message } = outcome;
  const head = { symbol: theme.symbols.failed, style: theme.failure, name, verb: code.replaceAll('-', ' ') };
  return statusLine(head, escapeText(message), drawing);
}

/** `  transfer_money: text of the tool` */
export function progressLine(name: string, text: string, { theme, columns }: Drawing): string {
  const shown = `  ${escapeText(name)}: ${escapeText(text.slice(0, 2000))}`;
  return theme.dim(cutToWidth(shown, columns - 1, theme.symbols.ellipsis));
}
