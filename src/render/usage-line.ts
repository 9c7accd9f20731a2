import type { Usage } from '../core/index.js';

/** A price in US dollars: two digits, four below a dollar, never `$0.0000` for something. */
export function formatCost(costUsd: number): string {
  if (costUsd === 0) return '$0';
  if (costUsd < 0.0001) return '< $0.0001';
  return `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

/** A count with thousands separated by commas, whatever the locale. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Tokens and cost of a turn beside those of the session: `1,204 in, 56 out, $0.0041 (session $0.0120)`. */
export function formatUsage(turn: Usage, session: Usage): string {
  const cached = turn.cacheReadTokens ?? 0;
  const parts = [
    `${formatCount(turn.inputTokens)} in${cached === 0 ? '' : ` (${formatCount(cached)} cached)`}`,
    `${formatCount(turn.outputTokens)} out`,
  ];
  if (turn.costUsd !== undefined) parts.push(formatCost(turn.costUsd));
  const line = parts.join(', ');
  return session.costUsd === undefined ? line : `${line} (session ${formatCost(session.costUsd)})`;
}
