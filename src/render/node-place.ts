import type { RunState, SessionEvent } from '../core/index.js';
import { escapeText, pathText, ROOT_PATH, stateAt } from '../core/index.js';

/** A node of a graph, with what it runs inside of. */
export function place({ scope = '', node, visit }: { scope?: string; node: string; visit: number }): string {
  return escapeText(pathText(`${scope}/${node}@${visit}`));
}

/** True where a node is tried again, and not taken up behind an answer. */
export function isRetry(event: SessionEvent & { readonly type: 'node-started' }, state: RunState): boolean {
  const { attempt, node, visit, scope } = event;
  const current = stateAt(state, scope ?? ROOT_PATH)?.graph?.current;
  const isBehindAnswer = current?.node === node && current.visit === visit && current.asks.length > 0;
  return attempt > 1 && !isBehindAnswer;
}
