import type { AgentFingerprint, Interrupt, SessionEvent, ToolRef } from '../../core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../core/index.js';

export const agent: AgentFingerprint = { model: 'demo', system: 'You move money.', tools: [] };

export function said(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text }] } };
}

export function replied(text: string): SessionEvent {
  return {
    type: 'message-added',
    message: { role: 'model', content: [{ type: 'text', text }] },
    usage: { inputTokens: 10, outputTokens: 2 },
    end: 'stop',
  };
}

export function called(ref: string, input: { readonly amount: number }): SessionEvent {
  return {
    type: 'message-added',
    message: {
      role: 'model',
      content: [{ type: 'tool-request', ref: toolRef(ref), name: 'transferMoney', input }],
    },
    usage: { inputTokens: 20, outputTokens: 8 },
    end: 'tool-use',
  };
}

export function started(ref: string, attempt: number, input: { readonly amount: number }): SessionEvent {
  return {
    type: 'tool-started',
    ref: toolRef(ref),
    name: 'transferMoney',
    attempt,
    input,
    effect: 'once',
    idempotencyKey: `key-${ref}`,
    startedAt: '2026-01-02T03:04:05.000Z',
  };
}

export function confirmation(id: string, ref: string, input: { readonly amount: number }): Interrupt {
  const source = {
    type: 'tool',
    ref: toolRef(ref),
    name: 'transferMoney',
    input,
    raisedBy: 'tool',
  } as const;
  return makeInterrupt(
    { kind: 'confirmation', source, payload: { reason: 'large amount' } },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: '2026-01-02T03:04:06.000Z' },
  );
}

function raised(id: string, ref: string, input: { readonly amount: number }): SessionEvent {
  return { type: 'interrupt-raised', interrupt: confirmation(id, ref, input) };
}

export function approved(interrupt: Interrupt): SessionEvent {
  return {
    type: 'interrupt-resolved',
    id: interrupt.id,
    digest: interrupt.digest,
    resolution: { action: 'restart' },
    by: { type: 'person', name: 'ann', via: 'terminal' },
    resolvedAt: '2026-01-02T03:05:00.000Z',
  };
}

export function settled(ref: string | ToolRef): SessionEvent {
  return { type: 'tool-settled', ref: toolRef(ref), outcome: { type: 'output', output: { ok: true } } };
}

export const done: SessionEvent = { type: 'run-ended', reason: { type: 'done' } };

/** Returns the events of a turn that asks for confirmation, without `session-created`. */
export function transferTurn(ref = 'a', id = 'i1'): readonly SessionEvent[] {
  const input = { amount: 200 };
  return [
    said('Transfer 200 to Ann'),
    { type: 'model-started', attempt: 1 },
    called(ref, input),
    started(ref, 1, input),
    raised(id, ref, input),
    approved(confirmation(id, ref, input)),
    started(ref, 2, input),
    settled(ref),
    replied('Done.'),
    done,
  ];
}
