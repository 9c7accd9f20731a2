import type { Interrupt } from '../interrupt.js';
import type { JsonValue } from '../json/index.js';
import { isJsonObject, membersOf } from '../json/index.js';
import type { Resolution } from '../resolution.js';
import type { Activation } from '../state.js';
import { cutFrom, without } from './cut-operations.js';
import { OPERATION_KINDS, operationOf } from '../operation/index.js';
import type { OperationKind } from '../operation/index.js';

const KINDS: ReadonlySet<string> = new Set(OPERATION_KINDS);

function isKind(value: unknown): value is OperationKind {
  return typeof value === 'string' && KINDS.has(value);
}

/** The operation at which the code does not do what the journal says, where an interrupt asks about one. */
export function differingOperation({ kind, source, payload }: Interrupt): string | undefined {
  if (kind !== 'error' || source.type !== 'node' || !isJsonObject(payload)) return undefined;
  return payload['code'] === 'NONDETERMINISM' ? source.operation : undefined;
}

/**
 * The activation after a person said what counts at such an operation: what the journal has, a value in its place, or
 * neither, so that it and all that began after it is done anew. `undefined` for what ends the run.
 */
export function answerDifference(
  current: Activation,
  { payload }: Interrupt,
  { key, resolution }: { readonly key: string; readonly resolution: Resolution },
): Activation | undefined {
  const { kind, digest } = membersOf(membersOf(payload)['as']);
  const about = { ...(isKind(kind) && { kind }), ...(typeof digest === 'string' && { digest }) };
  const settled = (output: JsonValue): Activation => {
    const { asks } = without(current, [key]);
    const record = { ...about, status: 'settled', effect: 'none', output } as const;
    return { ...current, asks, operations: current.operations.set(key, record) };
  };
  // What the code does not come to any more is left out; the rest stands.
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
