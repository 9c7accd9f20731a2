import type {
  Interrupt,
  InterruptDraft,
  JsonObject,
  JsonValue,
  RunState,
  ToolDescriptor,
} from '../../src/core/index.js';
import { emptyState, interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';

/** When every interrupt of these tests was raised. */
export const RAISED_AT = '2026-01-02T03:04:05.000Z';

/** Any interrupt. */
export function interruptOf(draft: InterruptDraft, id = 'i1'): Interrupt {
  return makeInterrupt(draft, { id: interruptId(id), path: ROOT_PATH, raisedAt: RAISED_AT });
}

interface CallOptions {
  readonly id?: string;
  readonly name?: string;
  readonly payload?: JsonValue;
  readonly answerSchema?: JsonObject;
  readonly raisedBy?: 'tool' | 'approval' | 'engine';
  readonly kind?: Interrupt['kind'];
}

/** An interrupt of a tool call; a confirmation of `transfer` unless said otherwise. */
export function callInterrupt(input: JsonValue, options: CallOptions = {}): Interrupt {
  const { id = 'i1', name = 'transfer', payload = true, answerSchema, raisedBy = 'approval' } = options;
  return interruptOf(
    {
      kind: options.kind ?? 'confirmation',
      source: { type: 'tool', ref: toolRef(`call-${id}`), name, input, raisedBy },
      payload,
      ...(answerSchema && { answerSchema }),
    },
    id,
  );
}

/** A question, with its payload and what the answer must be. */
export function question(payload: JsonValue, answerSchema?: JsonObject, id = 'i1'): Interrupt {
  return callInterrupt(payload, {
    id,
    name: 'ask_user',
    kind: 'question',
    payload,
    raisedBy: 'tool',
    ...(answerSchema && { answerSchema }),
  });
}

export const TRANSFER: ToolDescriptor = {
  name: 'transfer',
  description: 'Moves money.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'number', minimum: 1 } },
    required: ['to', 'amount'],
    additionalProperties: false,
  },
  effect: 'once',
  origin: 'built in',
  restartable: true,
};

/** A session that offers these tools. */
export function stateWith(...tools: readonly ToolDescriptor[]): RunState {
  return { ...emptyState(), agent: { model: 'demo', tools } };
}
