import { shown, escapeText } from '../core/index.js';
import type { Usage, Shown } from '../core/index.js';

/**
 * Formats a price in US dollars with two decimals, or four below a dollar. A price above zero is never shown
 * as `$0.0000`.
 */
export function formatCost(costUsd: number): Shown {
  if (costUsd === 0) return shown`$0`;
  if (costUsd < 0.0001) return shown`< $0.0001`;
  return escapeText(`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`);
}

/** Formats a count with commas between thousands, in every locale. */
export function formatCount(count: number): Shown {
  return escapeText(String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ','));
}

/** Formats the share of input that came from the provider's cache: `cache 98 %`. Empty if there was none. */
function cacheWords({ inputTokens, cacheReadTokens = 0 }: Usage): readonly string[] {
  if (cacheReadTokens === 0 || inputTokens === 0) return [];
  return [`cache ${Math.floor((cacheReadTokens / inputTokens) * 100)} %`];
}

/**
 * Formats the tokens and cost of a turn and of the session: `1,204 in, 56 out, cache 98 %, $0.0041 (session
 * $0.0120)`.
 */
export function formatUsage(turn: Usage, session: Usage): string {
  const parts = [
    `${formatCount(turn.inputTokens)} in`,
    `${formatCount(turn.outputTokens)} out`,
    ...cacheWords(turn),
  ];
  if (turn.costUsd !== undefined) parts.push(formatCost(turn.costUsd));
  const line = parts.join(', ');
  return session.costUsd === undefined ? line : `${line} (session ${formatCost(session.costUsd)})`;
}
