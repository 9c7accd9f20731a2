import type { RunState, SessionEvent } from '../core/index.js';
import { actorName, escapeText, pathText, plainLine, ROOT_PATH, stateAt } from '../core/index.js';

/** Maximum width of a value set by a person, in columns. */
const GIVEN_COLUMNS = 60;

/** Formats a graph node, including its enclosing nodes. */
export function place({ scope = '', node, visit }: { scope?: string; node: string; visit: number }): string {
  return escapeText(pathText(`${scope}/${node}@${visit}`));
}

/** Whether a node is being retried, as opposed to continuing after an answer. */
export function isRetry(event: SessionEvent & { readonly type: 'node-started' }, state: RunState): boolean {
  const { attempt, node, visit, scope } = event;
  const current = stateAt(state, scope ?? ROOT_PATH)?.graph?.current;
  const isBehindAnswer = current?.node === node && current.visit === visit && current.asks.length > 0;
  return attempt > 1 && !isBehindAnswer;
}

/** Describes a rewind: `went back to before deploy#2`, or who set an output and its value. */
export function backWords(event: SessionEvent & { readonly type: 'rewound' }): string {
  const { operation, given, by } = event;
  const where = operation === undefined ? place(event) : escapeText(operation);
  if (given === undefined) return `went back to the point before ${where}`;
  const who = by === undefined ? 'a person' : escapeText(actorName(by));
  return `${who} set the output of ${where}: ${plainLine(JSON.stringify(given.output), GIVEN_COLUMNS)}`;
}
