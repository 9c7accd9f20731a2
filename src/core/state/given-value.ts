import type { JsonValue } from '../data/json.js';
import type { OperationKind } from './operation.js';
import { operationOf } from './operation.js';
import { mayHoldSecret } from '../question/places.js';
import { schemaProblem } from '../data/fits-schema.js';
import type { Activation } from './state.js';
import { cutFrom } from './evolve-operation.js';

/**
 * Returns the reason that a person's value cannot replace the result of an operation in the journal;
 * `undefined` if it can. For a question, the value must match the schema.
 */
export function givenProblem(current: Activation, key: string, output: JsonValue): string | undefined {
  const record = current.operations.get(key);
  if (record === undefined) return `\`${key}\` is not an operation of the node that ran last`;
  if (!takesValue(record.kind)) return `\`${key}\` is internal to the workflow, and does not accept a value`;
  const ask = current.asks.find(({ interrupt }) => operationOf(interrupt) === key);
  const schema = ask?.interrupt.answerSchema;
  if (schema === undefined) return undefined;
  if (mayHoldSecret(schema)) return `\`${key}\` asks for a secret, which can only be entered at its question`;
  const why = schemaProblem(output, schema);
  return why === undefined ? undefined : `the value for \`${key}\` is invalid: ${why}`;
}

/**
 * Returns the activation with a person's value as the result of an operation. Everything started after the
 * operation is removed.
 */
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

/**
 * Whether a person can provide a value for an operation. False for operations that are internal to the
 * workflow, such as its state or the choice of the branch that was first.
 */
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
