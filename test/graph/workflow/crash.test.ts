import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { RunState } from '../../../src/core/index.js';
import { emptyState, messageOf, openInterrupts } from '../../../src/core/index.js';
import { workflow } from '../../../src/graph/index.js';
import { oneLineOf } from '../../../src/human/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { scene } from '../../engine/drive.js';
import { decide, driveGraph } from '../drive-graph.js';
import { asking, goOn, operationsOf, play, playUntil } from './play.js';

/** The deploy of the examples; `done` is what happened outside. */
function deploy(done: string[]) {
  return workflow('deploy', { input: z.object({ hosts: z.array(z.string()) }) }, async (ctx, { hosts }) => {
    const { version } = await ctx.ask('version', {
      prompt: 'Which?',
      schema: z.object({ version: z.string() }),
    });
    const undo: (() => Promise<void>)[] = [];
    try {
      for (const host of hosts) {
        await ctx.step('deploy', () => void done.push(`deploy ${version} ${host}`), { effect: 'idempotent' });
        undo.push(() =>
          ctx.step('roll back', () => void done.push(`back ${host}`), { effect: 'idempotent' }),
        );
        if (!(await ctx.ask('healthy', { prompt: `${host}?`, schema: z.boolean() })))
          throw new Error(`${host} is sick`);
      }
      return 'deployed';
    } catch (error) {
      for (const back of undo.reverse()) await back();
      return `rolled back: ${error instanceof Error ? error.message : ''}`;
    }
  });
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  'version#1': { version: '7' },
  'healthy#1': true,
  'healthy#2': false,
};
const START = { set: { hosts: ['a', 'b'] } };

/** Answers whatever is open and goes on; the run `which` dies after so many of its records. */
async function playDying(which: number, dieAfter: number, done: string[]) {
  const flow = deploy(done);
  let state: RunState = emptyState();
  let died = false;
  for (let run = 0; ; run += 1) {
    const ran = await playUntil(state, flow, run === which ? dieAfter : Infinity, { start: START });
    state = ran.state;
    died ||= ran.died;
    if (ran.died) continue;
    const [open] = openInterrupts(state);
    if (open === undefined) return { state, died };
    const key = open.source.type === 'node' ? (open.source.operation ?? '') : '';
    state = decide(state, { action: 'respond', output: ANSWERS[key] as never });
  }
}

describe('a workflow that is killed', () => {
  test('W31: after any record it comes to the same end, and rolls nothing back because it asked', async () => {
    const calm: string[] = [];
    const whole = await playDying(-1, 0, calm);
    expect(calm).toEqual(['deploy 7 a', 'deploy 7 b', 'back b', 'back a']);
    let deaths = 0;
    for (let run = 0; run < 4; run += 1) {
      for (let at = 1; at <= 9; at += 1) {
        const done: string[] = [];
        const { state, died } = await playDying(run, at, done);
        if (died) deaths += 1;
        expect(state.graph?.state).toEqual(whole.state.graph?.state);
        expect(done.filter((line, index) => line !== done[index - 1])).toEqual(calm);
      }
    }
    expect(deaths).toBe(15);
  });

  test('W32: a step that may have happened is asked about, and what it gave is taken', async () => {
    let paid = 0;
    const flow = workflow('flow', async (ctx) => {
      const first = await ctx.step('pay', () => (paid += 1));
      return [first, await ctx.ask('go', { prompt: 'go?' })];
    });
    // started: entered, node-started, op-started are kept, and what the step did is not.
    const { state } = await playUntil(emptyState(), flow, 4);
    const met = await driveGraph(state, flow);
    expect(openInterrupts(met.state)).toMatchObject([{ kind: 'in-doubt', payload: { step: 'pay#1' } }]);
    const { output } = await goOn(met.state, flow, [{ say: 1 }, { say: 'x' }]);
    expect([output, paid]).toEqual([[1, 'x'], 1]);
    const again = await goOn(met.state, flow, [{ action: 'retry' }, { say: 'x' }]);
    expect([again.output, paid]).toEqual([[2, 'x'], 2]);
  });

  test('N6: the doubt names the step, what it is about, its branch, and since when', async () => {
    const flow = workflow('deploy', (ctx) =>
      ctx.all('hosts', { a: (c) => c.step('install', () => 1, { of: 'a 7' }) }),
    );
    const { state } = await playUntil(emptyState(), flow, 4);
    const [asked] = openInterrupts((await driveGraph(state, flow)).state);
    expect([asked?.kind, asked?.source, asked?.payload]).toEqual([
      'in-doubt',
      { type: 'node', nodeId: 'deploy', visit: 1, phase: 'run', operation: 'hosts/a/install#1' },
      {
        attempt: 1,
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        step: 'hosts/a/install#1',
        does: 'step',
        of: 'a 7',
      },
    ]);
    expect(asked && oneLineOf(asked)).toBe('Did this happen?  install a 7 · deploy › hosts › a');
  });

  test('W33: a step whose second run does no harm is done again without a question', async () => {
    let made = 0;
    const flow = workflow('flow', (ctx) => ctx.step('make', () => (made += 1), { effect: 'idempotent' }));
    const { state } = await playUntil(emptyState(), flow, 4);
    expect([(await goOn(state, flow)).output, made]).toEqual([2, 2]);
  });

  test('W34, N18: attempts are counted over a crash, and pauses grow to their cap', async () => {
    const clock = fakeClock({ auto: true });
    const from = clock.now();
    const at: number[] = [];
    const flow = workflow('flow', (ctx) =>
      ctx.step(
        'try',
        ({ attempt }) => {
          at.push(clock.now() - from);
          if (attempt < 5) throw new Error(`attempt ${attempt}`);
          return attempt;
        },
        { retry: { attempts: 5, delay: 100, factor: 3, cap: 500 } },
      ),
    );
    const run = scene({ clock });
    const { state } = await playUntil(emptyState(), flow, 7, { run });
    const { output } = await goOn(state, flow, [], { run });
    expect([output, at]).toEqual([5, [0, 100, 400, 900, 1_400]]);
  });

  test('W35: `when` says which failures are tried again, and a time limit is one of them', async () => {
    const clock = fakeClock({ auto: true });
    const run = scene({ clock });
    const never = (): Promise<never> => new Promise(() => undefined);
    const flow = (when: (thrown: unknown) => boolean) =>
      workflow('flow', (ctx) =>
        ctx.step('slow', never, { timeout: '50ms', retry: { attempts: 3, delay: 1, when } }),
      );
    const all = await play(
      flow(() => true),
      [],
      { run },
    );
    expect(operationsOf(all.events).filter((line) => line.startsWith('started'))).toHaveLength(3);
    const none = await play(
      flow((thrown) => !messageOf(thrown).includes('50 ms')),
      [],
      { run },
    );
    expect(operationsOf(none.events)).toEqual(['started slow#1', 'failed slow#1']);
  });

  test('N14: `when` is given what was thrown, and what throws there is tried no more', async () => {
    const thrown = Object.assign(new Error('no'), { status: 400 });
    const seen: unknown[] = [];
    const flow = (when: (thrown: unknown) => boolean) =>
      workflow('flow', (ctx) =>
        ctx.step('post', () => Promise.reject(thrown), { retry: { attempts: 3, delay: 1, when } }),
      );
    const once = await play(flow((one) => seen.push(one) < 1));
    expect(seen[0]).toBe(thrown);
    const odd = await play(
      flow(() => {
        throw new Error('who knows');
      }),
    );
    for (const { events } of [once, odd])
      expect(operationsOf(events)).toEqual(['started post#1', 'failed post#1']);
  });

  test('W36: a workflow that failed is taken up where nothing came of the failure', async () => {
    let works = false;
    let done = 0;
    const flow = workflow('flow', async (ctx) => {
      await ctx.step('first', () => (done += 1));
      return ctx.step('second', () => {
        if (!works) throw new Error('not yet');
        return 'done';
      });
    });
    const failed = await play(flow);
    expect(failed.outcome).toMatchObject({ reason: { type: 'failed' } });
    works = true;
    expect([(await goOn(failed.state, flow)).output, done]).toEqual(['done', 1]);
    expect(asking(failed.state)).toEqual([]);
  });
});
