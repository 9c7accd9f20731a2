import { describe, expect, test } from 'vitest';

import type { Interrupt, InterruptKind, Resolution, RunState } from '../../src/core/index.js';
import { emptyState, evolve, fold, makeInterrupt, openInterrupts } from '../../src/core/index.js';
import { graph } from '../../src/graph/index.js';
import { BOB, CYD, said, saidByTwo } from '../helpers/two-people.js';

import { driveGraph } from './drive-graph.js';

/** A node that two people let run, and whose body fails the first time. */
function flow(paid: number[], onError: 'ask' | 'fail' = 'ask') {
  let runs = 0;
  return graph('pay')
    .fn(
      'do',
      () => {
        runs += 1;
        if (runs === 1) throw new Error('the bank is closed');
        paid.push(runs);
      },
      { gate: { before: true, approvers: { need: 2 } }, onError },
    )
    .end('do')
    .build();
}

/** The state that waits because the node failed, or because its process died while it ran. */
async function waiting(kind: InterruptKind, paid: number[]) {
  const paying = flow(paid);
  const { state: gate } = await driveGraph(emptyState(), paying);
  const { state, events } = await driveGraph(saidByTwo(gate, { action: 'continue' }), paying);
  if (kind === 'error') return { paying, state };
  const begun = events.findIndex(({ type }) => type === 'node-started') + 1;
  const dead = fold(events.slice(0, begun), saidByTwo(gate, { action: 'continue' }));
  return { paying, state: (await driveGraph(dead, paying)).state };
}

/** The same state with the question as a journal has it that names nobody. */
function askedOfAnybody(state: RunState): RunState {
  const { id, digest: _digest, approvers: _people, path, raisedAt, ...draft } = openInterrupts(state)[0]!;
  const interrupt: Interrupt = makeInterrupt(draft, { id, path, raisedAt });
  const frame = state.graph!;
  return { ...state, graph: frame.with({ current: { ...frame.current!, open: interrupt } }) };
}

describe.for(['error', 'in-doubt'] as const)(
  'a node that two people let run, once there is an %s',
  (kind) => {
    test('does not run again by the word of one', async () => {
      const paid: number[] = [];
      const { paying, state } = await waiting(kind, paid);
      expect(openInterrupts(state)).toMatchObject([{ kind, approvers: { need: 2 } }]);
      await driveGraph(said(state, BOB, { action: 'retry' }), paying);
      expect(paid).toEqual([]);
      await driveGraph(saidByTwo(state, { action: 'retry' }), paying);
      expect(paid).toEqual([2]);
    });

    test('is asked about again where a journal let one run it', async () => {
      const paid: number[] = [];
      const { paying, state } = await waiting(kind, paid);
      const { state: again } = await driveGraph(
        said(askedOfAnybody(state), BOB, { action: 'retry' }),
        paying,
      );
      expect(openInterrupts(again)).toMatchObject([{ kind: 'gate', approvers: { need: 2 } }]);
      expect(paid).toEqual([]);
    });
  },
);

describe('a gate for others than whoever asked', () => {
  const asked = evolve(emptyState(), {
    type: 'session-created',
    agent: { model: 'm', tools: [] },
    by: { type: 'person', name: 'ann', via: 'library' },
  });
  const gate = { before: true, after: true, approvers: { notRequester: true } };

  /** The state at the gate before the node, and the payments that it has made. */
  async function atGate() {
    const paid: unknown[] = [];
    const paying = graph('pay')
      .fn('do', ({ amount }) => void paid.push(amount), { gate })
      .end('do')
      .build();
    const { state } = await driveGraph(asked, paying);
    return { paid, paying, state };
  }

  test.for<Resolution>([
    { action: 'edit-input', value: { amount: 9 } },
    { action: 'rerun', guidance: 'pay 9' },
    { action: 'change-condition', patch: { amount: 9 } },
    {
      action: 'sequence',
      actions: [{ action: 'update-state', patch: { amount: 9 } }, { action: 'continue' }],
    },
  ])('does not go on by the edit of one of them: %j (F6)', async (resolution) => {
    const { state } = await atGate();
    expect(() => said(state, BOB, resolution)).toThrow('an edit alone cannot answer this');
  });

  test('asks again about an edited state, of others than its author (F6)', async () => {
    const { paid, paying, state } = await atGate();
    const edited = said(state, BOB, { action: 'update-state', patch: { amount: 9 } });
    const { state: again } = await driveGraph(edited, paying);
    expect(openInterrupts(again)).toMatchObject([{ kind: 'gate', approvers: { notRequester: true } }]);
    expect(() => said(again, BOB, { action: 'continue' })).toThrow('bob requested it');
    await driveGraph(said(again, CYD, { action: 'continue' }), paying);
    expect(paid).toEqual([9]);
  });
});
