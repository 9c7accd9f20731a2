import { describe, expect, test } from 'vitest';

import { fakeClock } from '../../src/testing/index.js';
import { graph } from '../../src/graph/index.js';
import { scene } from '../engine/drive.js';
import { emptyState, messageOf, openInterrupts } from '../../src/core/index.js';
import { Died, driveGraph, startGraph } from './drive-graph.js';

describe('what a node gives', () => {
  test('N5: is refused where a result has members that are none', async () => {
    const mixed = graph('g')
      .fn('a', () => ({ output: 1, goto: 'b' }))
      .end('a')
      .build();
    const { outcome } = await startGraph(mixed);
    expect(outcome).toMatchObject({
      reason: {
        type: 'failed',
        error: {
          message:
            'node `a` failed: a result can only have output, patch, unset; got `goto` in addition to `output`',
        },
      },
    });
  });

  test('K3: of a choice stands under the name of the choice, and of the candidate', async () => {
    const chosen = graph('g')
      .choose('pick', {
        select: () => 'left',
        candidates: { left: { kind: 'function', run: () => 1 }, right: { kind: 'function', run: () => 2 } },
      })
      .end('pick')
      .build();
    expect((await startGraph(chosen)).state.graph?.state).toEqual({ left: 1, pick: 1 });
  });

  test('of a choice has the name that it is given, or none', async () => {
    const named = (outputKey: string | false) =>
      graph('g')
        .choose('pick', {
          select: () => 'left',
          candidates: { left: { kind: 'function', run: () => 1, outputKey: false } },
          outputKey,
        })
        .end('pick')
        .build();
    expect((await startGraph(named('it'))).state.graph?.state).toEqual({ it: 1 });
    expect((await startGraph(named(false))).state.graph?.state).toEqual({});
  });

  test('K4: of a map is made of the results and of the state', async () => {
    const mapped = graph('g')
      .fn('by', () => 10)
      .map('all', {
        items: () => [1, 2],
        worker: { kind: 'function', run: (state) => Number(state['item']) },
        reduce: (results, state) => results.map((one) => Number(one) * Number(state['by'])),
      })
      .edge('by', 'all')
      .end('all')
      .build();
    expect((await startGraph(mapped)).state.graph?.state['all']).toEqual([10, 20]);
  });
});

describe('a failure', () => {
  const failing = () => {
    throw new Error('no route to host');
  };

  test('N11: is in reach of the edges, the bodies and the questions behind it', async () => {
    const seen: unknown[] = [];
    const recovers = graph('g')
      .fn('smoke', failing, { onError: 'continue' })
      .fn('well', () => 1)
      .fn('look', (_state, { errors }) => void seen.push(errors['smoke']?.message))
      .human('ask', {
        question: (_state, { errors }) => ({ prompt: `${errors['smoke']?.message ?? ''}: what now?` }),
      })
      .edge('smoke', 'look', { when: 'meta.lastError == "no route to host"' })
      .edge('smoke', 'well', { when: (_state, { lastError }) => lastError === null })
      .edge('look', 'ask')
      .end('ask', 'well')
      .build();
    const { state } = await startGraph(recovers);
    expect(seen).toEqual(['no route to host']);
    expect(openInterrupts(state)).toMatchObject([{ payload: { question: 'no route to host: what now?' } }]);
  });

  test('N8: is tried again where that may help, with pauses that grow to a cap', async () => {
    const clock = fakeClock({ auto: true });
    const from = clock.now();
    const flaky = (when?: (thrown: unknown) => boolean) =>
      graph('g')
        .fn('a', failing, {
          retry: { attempts: 4, delay: '100ms', factor: 10, cap: 500, ...(when && { when }) },
        })
        .end('a')
        .build();
    const attempts = async (when?: (thrown: unknown) => boolean) =>
      (await startGraph(flaky(when), { run: scene({ clock }) })).events.filter(
        ({ type }) => type === 'node-failed',
      ).length;
    expect([await attempts(), clock.now() - from]).toEqual([4, 100 + 500 + 500]);
    expect(await attempts((thrown) => messageOf(thrown) !== 'no route to host')).toBe(1);
    expect(
      await attempts(() => {
        throw new Error('who knows');
      }),
    ).toBe(1);
  });

  test('N14: tells `when` what was thrown, and after a death what the journal has of it', async () => {
    const seen: unknown[] = [];
    const refusal = Object.assign(new Error('no'), { name: 'HttpError', code: 'E_BAD', status: 400 });
    const flow = graph('g')
      .fn(
        'a',
        () => {
          throw refusal;
        },
        { effect: 'none', retry: { attempts: 3, when: (thrown) => seen.push(thrown) % 2 === 1 } },
      )
      .end('a')
      .build();
    const run = scene({ clock: fakeClock({ auto: true }) });
    const { state } = await startGraph(flow, { run });
    expect(seen).toEqual([refusal, refusal]);
    expect(seen[0]).toBe(refusal);
    expect(state.ended).toEqual({
      type: 'failed',
      error: {
        code: 'NODE_FAILED',
        message: 'node `a` failed: no',
        thrown: { name: 'HttpError', code: 'E_BAD' },
      },
    });
    const died = await driveGraph(emptyState(), flow, { run, dieAfter: 4 }).catch(
      (thrown: unknown) => thrown,
    );
    seen.splice(0);
    if (died instanceof Died) await driveGraph(died.state, flow, { run });
    expect(seen[0]).not.toBe(refusal);
    expect(seen[0]).toMatchObject({ message: 'no', name: 'HttpError', code: 'E_BAD' });
  });

  test('N8: waits less by chance where it says so, and as long in every process of the run', async () => {
    const waited = async (runId: string, jitter: number) => {
      const clock = fakeClock({ auto: true });
      const from = clock.now();
      const flaky = graph('g')
        .fn('a', failing, { retry: { attempts: 2, delay: '10s', jitter } })
        .end('a');
      await startGraph(flaky.build(), { run: { ...scene({ clock }), runId } });
      return clock.now() - from;
    };
    const [first, again, other, never] = [
      await waited('a', 0.5),
      await waited('a', 0.5),
      await waited('b', 0.5),
      await waited('a', 0),
    ];
    expect([again, never]).toEqual([first, 10_000]);
    expect(new Set([first, other, 10_000]).size).toBe(3);
    for (const ms of [first, other]) expect(ms >= 5_000 && ms < 10_000).toBe(true);
  });
});
