import { describe, expect, test } from 'vitest';

import type { RunState, SessionEvent } from '../../src/core/index.js';
import { dueEvent, evolve, openInterrupts, timeOf } from '../../src/core/index.js';
import { graph, graphFromFile } from '../../src/graph/index.js';
import { AT } from '../helpers/events.js';
import { driveGraph, openOf, startGraph } from './drive-graph.js';

const SOON = timeOf(AT) + 1000;

/** The state after everything that is due. */
function fired(
  state: RunState,
  now = SOON,
): { readonly state: RunState; readonly events: readonly SessionEvent[] } {
  const event = dueEvent(state, now);
  if (event === undefined) return { state, events: [] };
  const after = fired(evolve(state, event), now);
  return { state: after.state, events: [event, ...after.events] };
}

describe('time in a graph', () => {
  test('N9: answers a human node with its value, and the run goes on with it', async () => {
    const asks = graph('g')
      .human('ok', {
        question: () => ({
          prompt: 'healthy?',
          schema: { type: 'boolean' },
          timeout: '1s',
          onTimeout: { value: false },
        }),
      })
      .fn('do', () => 'done')
      .edge('ok', 'do', { when: 'not state.ok' })
      .end('ok', 'do')
      .build();
    const { state } = await startGraph(asks);
    const { state: after, events } = fired(state);
    expect(events).toMatchObject([
      { resolution: { action: 'respond', output: false }, by: { type: 'clock' } },
    ]);
    const end = await driveGraph(after, asks);
    expect(end.state.graph?.state).toEqual({ ok: false, do: 'done' });
  });

  test('passes no gate: the node does not run, or the run ends', async () => {
    let ran = 0;
    const gated = (onTimeout: 'reject' | 'cancel') =>
      graph('g')
        .fn('pay', () => (ran += 1), { gate: { before: true, timeout: '1s', onTimeout } })
        .end('pay')
        .build();
    const ends = [];
    for (const onTimeout of ['reject', 'cancel'] as const) {
      const pays = gated(onTimeout);
      const end = await driveGraph(fired((await startGraph(pays)).state).state, pays);
      ends.push(end.outcome.type === 'ended' && end.outcome.reason.type);
    }
    expect([ends, ran]).toEqual([['done', 'aborted'], 0]);
  });

  test('ends a run that waits behind a node, and does not ask for ever', async () => {
    const behind = graph('g')
      .fn('pay', () => 1, { gate: { after: true, timeout: '1s', onTimeout: 'reject' } })
      .end('pay')
      .build();
    const { events } = fired((await startGraph(behind)).state);
    expect(events).toMatchObject([{ resolution: { action: 'cancel' } }]);
  });

  test('asks somebody else two graphs deep, in the place where it was asked', async () => {
    const inner = graph('inner')
      .human('ask', {
        question: () => ({
          prompt: '?',
          timeout: '1s',
          onTimeout: { escalate: { to: 'lead', timeout: '1h' } },
        }),
      })
      .end('ask')
      .build();
    const mid = graph('mid').subgraph('work', { graph: inner }).end('work').build();
    const outer = graph('outer').subgraph('mid', { graph: mid }).end('mid').build();
    const { state } = await startGraph(outer);
    const { state: after, events } = fired(state);
    expect(events).toMatchObject([{ type: 'interrupt-escalated', id: 'i1', scope: 'mid@1/work@1' }]);
    expect(openOf(after)).toEqual(openOf(state));
    expect(openInterrupts(after).map(({ id, escalated }) => [id, escalated?.to])).toEqual([['i2', 'lead']]);
    const again = await driveGraph(after, outer);
    expect(again.outcome.type).toBe('interrupted');
  });

  test('is refused at build where it would let somebody by', () => {
    const build = () =>
      graph('g')
        .fn('pay', () => 1, { gate: { before: true, timeout: '1s', onTimeout: { value: true } } })
        .end('pay')
        .build();
    expect(build).toThrow('a timeout cannot answer this gate; use `reject`, `cancel` or `escalate`');
  });

  test('reads the same from a graph file', async () => {
    const text = [
      'name: g',
      'nodes:',
      '  ok:',
      '    kind: human',
      '    prompt: healthy?',
      '    timeout: 1s',
      '    onTimeout: { escalate: { to: lead, timeout: 5m, onTimeout: cancel } }',
      'end: [ok]',
    ].join('\n');
    const loaded = await graphFromFile(text, { file: 'g.yaml' });
    const { state } = await startGraph(loaded);
    expect(openInterrupts(state)).toMatchObject([
      {
        expiresAt: '2026-01-01T00:00:01.000Z',
        onTimeout: { action: 'escalate', to: 'lead', timeoutMs: 300_000, onTimeout: { action: 'cancel' } },
      },
    ]);
  });
});
