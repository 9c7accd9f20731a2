import type {
  AgentFingerprint,
  Interrupt,
  JsonValue,
  Part,
  Resolution,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../../src/core/index.js';
import { emptyState, evolve, interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';

export const agent: AgentFingerprint = {
  model: 'demo',
  system: 'You move money.',
  tools: [
    {
      name: 'transfer_money',
      description: 'Moves money',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      effect: 'once',
      origin: 'built in',
      restartable: true,
    },
  ],
};

export const usage = { inputTokens: 1200, outputTokens: 34, costUsd: 0.0123 };
const by = { type: 'person', name: 'ann', via: 'terminal' } as const;

export function userSays(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text }] } };
}

export function modelSays(...content: readonly (Part | string)[]): SessionEvent {
  const parts = content.map((part): Part => (typeof part === 'string' ? { type: 'text', text: part } : part));
  const end = parts.some((part) => part.type === 'tool-request') ? 'tool-use' : 'stop';
  return { type: 'message-added', message: { role: 'model', content: parts }, usage, end };
}

export function calls(ref: string, name: string, input: JsonValue): Part {
  return { type: 'tool-request', ref: toolRef(ref), name, input };
}

export function starts(ref: string, name: string, input: JsonValue, attempt = 1): SessionEvent {
  return {
    type: 'tool-started',
    ref: toolRef(ref),
    name,
    attempt,
    input,
    effect: 'once',
    idempotencyKey: `key-${ref}`,
    startedAt: '2026-01-02T03:04:05.000Z',
  };
}

export function outputs(ref: string, output: JsonValue): SessionEvent {
  return { type: 'tool-settled', ref: toolRef(ref), outcome: { type: 'output', output } };
}

export function fails(ref: string, message: string): SessionEvent {
  return { type: 'tool-settled', ref: toolRef(ref), outcome: { type: 'error', code: 'failed', message } };
}

export function confirmation(id: string, ref: string, name: string, input: JsonValue): Interrupt {
  return makeInterrupt(
    {
      kind: 'confirmation',
      source: { type: 'tool', ref: toolRef(ref), name, input, raisedBy: 'approval' },
      payload: { reason: 'large amount' },
    },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: '2026-01-02T03:05:00.000Z' },
  );
}

export function limit(id: string): Interrupt {
  return makeInterrupt(
    { kind: 'limit', source: { type: 'run' }, payload: { limit: 'turns', spent: 5 } },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: '2026-01-02T03:05:00.000Z' },
  );
}

export function raises(interrupt: Interrupt): SessionEvent {
  return { type: 'interrupt-raised', interrupt };
}

export function decides(
  interrupt: Interrupt,
  resolution: Resolution,
  who: (SessionEvent & { type: 'interrupt-resolved' })['by'] = by,
): SessionEvent {
  const { id, digest } = interrupt;
  return {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution,
    by: who,
    resolvedAt: '2026-01-02T03:06:00.000Z',
  };
}

const proposed = { to: 'Ann', amount: 200 };
const edited = { to: 'Ann', amount: 150 };
const asked = confirmation('i1', 'a', 'transfer_money', proposed);
const reached = limit('i2');

/** A session with every kind of durable event: a confirmation that is edited, a sibling that fails, a limit. */
export const story: readonly SessionEvent[] = [
  { type: 'session-created', agent, title: 'Rent', cwd: '/home/ann', parent: { kind: 'fork', seq: 3 } },
  { type: 'session-opened', epoch: 1, pid: 42, host: 'box' },
  {
    type: 'history-imported',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'model', content: [{ type: 'text', text: 'Good day.' }] },
    ],
  },
  userSays('Transfer 200 to Ann'),
  { type: 'model-started', attempt: 1 },
  modelSays('I will do **that**.', calls('a', 'transfer_money', proposed), calls('b', 'balance', {})),
  starts('b', 'balance', {}),
  fails('b', 'no such account'),
  raises(asked),
  { type: 'rule-added', rule: { effect: 'allow', tool: 'balance', toolDigest: 'f' }, by },
  decides(asked, { action: 'restart', input: edited }),
  starts('a', 'transfer_money', edited),
  outputs('a', { moved: 150 }),
  raises(reached),
  decides(
    reached,
    { action: 'extend', by: 5 },
    { type: 'script', name: 'ci', via: 'stdin', place: 'line 3' },
  ),
  { type: 'agent-changed', agent },
  { type: 'model-started', attempt: 1 },
  modelSays('Moved 150.'),
  { type: 'run-ended', reason: { type: 'done' } },
];

export const transients: readonly TransientEvent[] = [
  { type: 'text-delta', text: 'Hel' },
  { type: 'reasoning-delta', text: 'hm' },
  { type: 'tool-input-delta', name: 'transfer_money', characters: 12 },
  { type: 'retrying', attempt: 2, waitMs: 4000, reason: 'overloaded' },
  { type: 'restarted' },
  { type: 'tool-progress', ref: toolRef('a'), name: 'transfer_money', text: 'asking the bank' },
];

/** The states of a story: the one at an index is the fold up to and with that event. */
export function statesOf(events: readonly SessionEvent[]): readonly RunState[] {
  let state = emptyState();
  return events.map((event) => {
    state = evolve(state, event);
    return state;
  });
}

/** The state at the end of a story. */
export function stateOf(events: readonly SessionEvent[]): RunState {
  return statesOf(events).at(-1) ?? emptyState();
}
