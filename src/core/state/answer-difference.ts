import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import { isJsonArray, membersOf } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import type { Activation } from './state.js';
import { cutFrom, without } from './evolve-operation.js';
import type { OperationKind } from './operation.js';
import { OPERATION_KINDS, operationOf } from './operation.js';

const KINDS: ReadonlySet<string> = new Set(OPERATION_KINDS);

function isKind(value: unknown): value is OperationKind {
  return typeof value === 'string' && KINDS.has(value);
}

/**
 * Returns the activation after a decision about a difference between the code and the journal. The decision
 * is to use the journal's result or another value, or to repeat the operation and everything after it. If the
 * code does not reach some operations, the decision is to accept that or to try again unchanged. `undefined`
 * if the run ends.
 */
export function answerDifference(
  current: Activation,
  { payload }: Interrupt,
  { key, resolution }: { readonly key: string; readonly resolution: Resolution },
): Activation | undefined {
  const { as, left } = membersOf(payload);
  if (left !== undefined) return answerLeft(current, left, resolution);
  const { kind, digest } = membersOf(as);
  const about = { ...(isKind(kind) && { kind }), ...(typeof digest === 'string' && { digest }) };
  const settled = (output: JsonValue): Activation => {
    const { asks } = without(current, [key]);
    const record = { ...about, status: 'settled', effect: 'none', output } as const;
    return { ...current, asks, operations: current.operations.set(key, record) };
  };
  // Version 0.2.0 asked so about what the code does not come to: it is left out, and the rest stands.
  const isMissed = about.kind === undefined;
  if (resolution.action === 'retry') return isMissed ? without(current, [key]) : cutFrom(current, key);
  if (resolution.action === 'respond') return settled(resolution.output);
  if (resolution.action !== 'continue') return undefined;
  const recorded = current.operations.get(key);
  const asked = current.asks.find(
    ({ interrupt }) => interrupt.kind !== 'gate' && operationOf(interrupt) === key,
  );
  if (asked?.answer !== undefined) return settled(asked.answer.value);
  if (recorded?.status === 'settled') return settled(recorded.output);
  if (recorded?.status !== 'failed') return without(current, [key]);
  return { ...current, operations: current.operations.set(key, { ...recorded, ...about }) };
}

function answerLeft(current: Activation, left: JsonValue, { action }: Resolution): Activation | undefined {
  if (action === 'retry') return current;
  if (action !== 'continue' || !isJsonArray(left)) return undefined;
  return passingOver(
    current,
    left.filter((key) => typeof key === 'string'),
  );
}

/** Marks operations that the code may omit, and withdraws their open questions. */
export function passingOver(current: Activation, passed: readonly string[]): Activation {
  const keys = new Set(passed);
  return {
    ...current,
    // Code that comes to one of them all the same asks anew.
    asks: current.asks.filter(
      ({ answer, interrupt }) => answer !== undefined || !keys.has(operationOf(interrupt) ?? ''),
    ),
    passedOver: [...new Set([...(current.passedOver ?? []), ...keys])],
  };
}
