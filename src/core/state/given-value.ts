import type { JsonValue } from '../data/json.js';
import type { OperationKind } from './operation.js';
import { operationOf } from './operation.js';
import { mayHoldSecret } from '../question/places.js';
import { schemaProblem } from '../data/fits-schema.js';
import type { Activation } from './state.js';
import { cutFrom } from './evolve-operation.js';

/**
 * Explains why a person's value cannot replace an operation's journaled result; `undefined` if it can. A
 * question accepts only values of its schema.
 */
export function givenProblem(current: Activation, key: string, output: JsonValue): string | undefined {
  const record = current.operations.get(key);
  if (record === undefined) return `\`${key}\` is no operation of what ran last`;
  if (!takesValue(record.kind)) return `\`${key}\` is the workflow’s own, and accepts no value`;
  const ask = current.asks.find(({ interrupt }) => operationOf(interrupt) === key);
  const schema = ask?.interrupt.answerSchema;
  if (schema === undefined) return undefined;
  if (mayHoldSecret(schema)) return `\`${key}\` asks for a secret, which is given where it is asked`;
  const why = schemaProblem(output, schema);
  return why === undefined ? undefined : `the value for \`${key}\` is invalid: ${why}`;
}

/** Returns the activation with a person's value for an operation, without anything started after it. */
export function withGiven(current: Activation, key: string, output: JsonValue): Activation {
  const record = current.operations.get(key);
  if (record === undefined) return current;
  const { kind, digest, title, effect } = record;
  const after = cutFrom(current, key);
  return {
    ...after,
    operations: after.operations.set(key, {
      ...(kind !== undefined && { kind }),
      ...(digest !== undefined && { digest }),
      ...(title !== undefined && { title }),
      effect,
      status: 'settled',
      output,
    }),
  };
}

/** False for the workflow's own operations: its state, or which branch was first, cannot be supplied. */
function takesValue(kind: OperationKind | undefined): boolean {
  switch (kind) {
    case undefined: // a step of a node's body
    case 'step':
    case 'ask':
    case 'tool':
    case 'agent':
    case 'call':
    case 'value':
    case 'timer':
    case 'event':
      return true;
    case 'race':
    case 'state':
    case 'checkpoint':
      return false;
  }
}
