import type { WaitingItem, WaitingQuery } from '../../src/core/index.js';

/**
 * Orders interrupts by the time they were raised, then by session, then by their number within the session.
 */
function oldestFirst(left: WaitingItem, right: WaitingItem): number {
  const order =
    compare(left.interrupt.raisedAt, right.interrupt.raisedAt) || compare(left.session, right.session);
  return order === 0 ? numberOf(left) - numberOf(right) : order;
}

/** Yields the open interrupts that match a query, oldest first. */
export function* selectWaiting(
  all: Iterable<WaitingItem>,
  { kind, tool, sessions, after, limit = Infinity }: WaitingQuery,
): Generator<WaitingItem> {
  let count = 0;
  for (const item of [...all].sort(oldestFirst)) {
    const { source, kind: own } = item.interrupt;
    if (count >= limit) return;
    if (after !== undefined && oldestFirst(item, after) <= 0) continue;
    if (sessions?.includes(item.session) === false) continue;
    if (kind !== undefined && own !== kind) continue;
    if (tool !== undefined && (source.type !== 'tool' || source.name !== tool)) continue;
    count += 1;
    yield item;
  }
}

/** Returns the number in an interrupt's id, so that `i10` is ordered after `i9`. */
function numberOf({ interrupt: { id } }: WaitingItem): number {
  return Number(id.replace(/\D/gu, ''));
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
