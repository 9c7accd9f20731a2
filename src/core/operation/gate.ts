import type { Interrupt } from '../interrupt.js';
import type { OperationKind } from './operation.js';

/** The operations before which a person is asked: `deploy` is all of that name, `deploy#2` one, `'*'` all that do something. */
export type OperationGates = '*' | readonly string[];

/** The kinds that do something: the others only wait, choose or keep. */
const DOING: ReadonlySet<OperationKind> = new Set<OperationKind>(['step', 'tool', 'agent', 'call']);

/** An operation as the code comes to it. */
export interface OperationPlan {
  readonly key: string;
  readonly kind: OperationKind;
  /** Fingerprint of what it is asked to do. */
  readonly digest: string;
}

/** True for what does something, and not only waits, chooses or keeps. */
export function isDoing(kind: OperationKind | undefined): boolean {
  return kind !== undefined && DOING.has(kind);
}

/** True where a person is to be asked before an operation. */
export function isGated(
  gates: OperationGates | undefined,
  { key, kind }: Pick<OperationPlan, 'key' | 'kind'>,
): boolean {
  if (gates === undefined || !isDoing(kind)) return false;
  if (gates === '*') return true;
  const own = key.slice(key.lastIndexOf('/') + 1);
  return gates.some((one) => one === own || one === nameOfKey(own) || one === key);
}

/** The name in a key: `deploy` of `left/deploy#2`. */
export function nameOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/u, '');
}

/** The key of the operation that asks; `undefined` where something else does. */
export function operationOf({ source }: Pick<Interrupt, 'source'>): string | undefined {
  return source.type === 'node' ? source.operation : undefined;
}

/** True for the gate before an operation, which is no question of the operation itself. */
export function isOperationGate(interrupt: Pick<Interrupt, 'kind' | 'source'>): boolean {
  return interrupt.kind === 'gate' && operationOf(interrupt) !== undefined;
}
