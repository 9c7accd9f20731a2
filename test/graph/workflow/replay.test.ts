import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { SessionEvent } from '../../../src/core/index.js';
import { dueEvent, evolve, fold, openInterrupts } from '../../../src/core/index.js';
import { workflow } from '../../../src/graph/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { scene } from '../../engine/drive.js';
import { cpuTime } from '../../helpers/cpu-time.js';
import { asking, goOn, operationsOf, play } from './play.js';

/** The journal of one step `n`, with as many of it. */
function timesDone(events: readonly SessionEvent[], times: number): readonly SessionEvent[] {
  const isOfStep = (event: SessionEvent): boolean => 'key' in event && event.key === 'n#1';
  const first = events.findIndex(isOfStep);
  const all = Array.from({ length: times }, (_, at) =>
    events.filter(isOfStep).map((event) => ({
      ...event,
      key: `n#${at + 1}`,
      ...('output' in event && { output: at }),
    })),
  );
  return [
    ...events.slice(0, first),
    ...(all.flat() as SessionEvent[]),
    ...events.slice(first).filter((event) => !isOfStep(event)),
  ];
}

describe('a replay', () => {
  test('W1: a step is done once, however often the code runs', async () => {
    let done = 0;
    const flow = workflow('flow', async (ctx) => {
      const first = await ctx.step('count', () => (done += 1));
      const a = await ctx.ask('a', { prompt: 'a?', schema: z.string() });
      const b = await ctx.ask('b', { prompt: 'b?', schema: z.string() });
      return [first, a, b];
    });
    const { output } = await play(flow, [{ say: 'x' }, { say: 'y' }]);
    expect([output, done]).toEqual([[1, 'x', 'y'], 1]);
  });

  test('W2: asking runs neither `catch` nor `finally`', async () => {
    const log: string[] = [];
    const flow = workflow('flow', async (ctx) => {
      try {
        return await ctx.ask('ok', { prompt: 'ok?', schema: z.boolean() });
      } catch {
        log.push('catch');
        return false;
      } finally {
        log.push('finally');
      }
    });
    const first = await play(flow);
    expect([asking(first.state), log]).toEqual([['ok#1'], []]);
    const { output } = await goOn(first.state, flow, [{ say: true }]);
    expect([output, log]).toEqual([true, ['finally']]);
  });

  test('W3: a step that failed throws the same error the first time and in each replay', async () => {
    const seen: unknown[] = [];
    const flow = workflow('flow', async (ctx) => {
      try {
        await ctx.step('fall', () => {
          throw new TypeError('no such host');
        });
      } catch (error) {
        seen.push(error instanceof Error ? [error.name, error.message] : error);
      }
      return ctx.ask('go', { prompt: 'go?' });
    });
    await play(flow, [{ say: 'yes' }]);
    expect(seen).toEqual([
      ['TypeError', 'no such host'],
      ['TypeError', 'no such host'],
    ]);
  });

  test.for([
    [
      Object.assign(new Error('no'), {
        name: 'HttpError',
        code: 'E_BAD',
        details: { field: 'a' },
        at: new Date(),
      }),
      { name: 'HttpError', message: 'no', code: 'E_BAD', details: { field: 'a' } },
    ],
    [
      Object.assign(new RangeError('far'), { code: 7, details: [new Date()] }),
      { name: 'RangeError', message: 'far', code: 7 },
    ],
    [{ status: 404 }, { name: 'Error', message: '{"status":404}', details: { status: 404 } }],
    ['a word', { name: 'HitlError', message: 'a word', code: 'NODE_FAILED' }],
  ] as const)(
    'N15: %j keeps its name, code and details, live, replayed and out of a branch',
    async ([thrown, kept]) => {
      const seen: unknown[] = [];
      const note = (error: unknown): void => {
        if (!(error instanceof Error)) throw error;
        const { name, message } = error;
        seen.push({
          name,
          message,
          ...('code' in error && { code: error.code }),
          ...('details' in error && { details: error.details }),
        });
      };
      const flow = workflow('flow', async (ctx) => {
        const fall = (c: typeof ctx) =>
          c.step('fall', () => {
            throw thrown; // oxlint-disable-line typescript/only-throw-error -- also what is no error
          });
        await fall(ctx).catch(note);
        await ctx.all('both', { fall }).catch(note);
        return ctx.ask('go', { prompt: 'go?' });
      });
      await play(flow, [{ say: 'yes' }]);
      expect(seen).toEqual([kept, kept, kept, kept]);
    },
  );

  test('N15: what a called workflow failed with keeps them', async () => {
    const inner = workflow('inner', (ctx) =>
      ctx.step('fall', () => Promise.reject(Object.assign(new Error('no'), { code: 'E_BAD' }))),
    );
    const flow = workflow('flow', (ctx) =>
      ctx.call(inner, null).catch((error: unknown) => ({ ...(error as { code: string }) })),
    );
    expect((await play(flow)).output).toEqual({ code: 'E_BAD' });
  });

  test('W4: two operations of one name are two, in the order of their calls', async () => {
    let n = 0;
    const flow = workflow('flow', async (ctx) => {
      const both = [await ctx.step('n', () => (n += 1)), await ctx.step('n', () => (n += 1))];
      await ctx.ask('go', { prompt: 'go?' });
      return both;
    });
    const { output } = await play(flow, [{ say: null }]);
    expect([output, n]).toEqual([[1, 2], 2]);
  });

  test('W5: the rounds of a loop are told apart by number', async () => {
    const flow = workflow('flow', async (ctx) => {
      const said: string[] = [];
      for (const host of ['a', 'b', 'c'])
        said.push(await ctx.ask('healthy', { prompt: `${host}?`, schema: z.string() }));
      return said;
    });
    const first = await play(flow, [{ say: '1' }, { say: '2' }]);
    expect(asking(first.state)).toEqual(['healthy#3']);
    expect((await goOn(first.state, flow, [{ say: '3' }])).output).toEqual(['1', '2', '3']);
  });

  test('W6: steps at once have keys by the order of the calls, not of their ends', async () => {
    const flow = workflow('flow', async (ctx) => {
      const slow = ctx.step('work', async () => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return 'slow';
      });
      const quick = ctx.step('work', () => 'quick');
      const both = await Promise.all([slow, quick]);
      await ctx.ask('go', { prompt: 'go?' });
      return both;
    });
    const { output, events } = await play(flow, [{ say: 1 }]);
    expect(output).toEqual(['slow', 'quick']);
    expect(operationsOf(events)).toEqual([
      'started work#1',
      'started work#2',
      'settled work#2',
      'settled work#1',
      'started go#1',
    ]);
  });

  test.for([0, '', false, null, []])('W8: %j is a result and an answer', async (value) => {
    let made = 0;
    const flow = workflow('flow', async (ctx) => {
      const step = await ctx.step('make', () => {
        made += 1;
        return value;
      });
      return [step, await ctx.ask('say', { prompt: 'say' })];
    });
    const { output } = await play(flow, [{ say: value }]);
    expect([output, made]).toEqual([[value, value], 1]);
  });

  test('W9: a result that is no JSON fails its step, the first time as later', async () => {
    const flow = workflow('flow', (ctx) => ctx.step('make', () => new Map()));
    const { outcome } = await play(flow);
    expect(outcome).toMatchObject({
      reason: {
        type: 'failed',
        error: { message: expect.stringContaining('which is not valid in JSON') as string },
      },
    });
  });

  test('W10: 10,000 operations are replayed in a second, and in about twice the time of 5,000', async () => {
    const flow = (size: number) =>
      workflow('flow', async (ctx) => {
        for (let at = 0; at < size; at += 1) await ctx.step('n', () => at);
        return ctx.ask('go', { prompt: 'go?' });
      });
    const replayOf = async (size: number): Promise<() => Promise<number>> => {
      const state = fold(timesDone((await play(flow(1))).events, size));
      return async () => {
        const from = cpuTime();
        await goOn(state, flow(size), [{ say: 1 }]);
        return cpuTime() - from;
      };
    };
    const [half, whole] = [await replayOf(5_000), await replayOf(10_000)];
    const times: { readonly half: number; readonly whole: number }[] = [];
    for (let round = 0; round < 4; round += 1) times.push({ half: await half(), whole: await whole() });
    // What else the machine does, and memory that is given back, make a replay longer and none shorter.
    const least = {
      half: Math.min(...times.map((one) => one.half)),
      whole: Math.min(...times.map((one) => one.whole)),
    };
    expect([least.whole < 1_000, least.whole < least.half * 3], JSON.stringify(least)).toEqual([true, true]);
  });

  test('W39: a question that nobody answers in time takes the value that it names', async () => {
    const clock = fakeClock();
    const run = scene({ clock });
    const flow = workflow('flow', (ctx) =>
      ctx.ask('ok', { prompt: 'ok?', schema: z.boolean(), timeout: '30m', onTimeout: { value: false } }),
    );
    const { state } = await play(flow, [], { run });
    expect(dueEvent(state, clock.now())).toBeUndefined();
    const due = dueEvent(state, clock.now() + 30 * 60_000);
    expect((await goOn(evolve(state, due ?? { type: 'run-continued' }), flow, [], { run })).output).toBe(
      false,
    );
  });

  test.for([
    ['W37: `sleep` goes on when its time is over, and not before', 'sleep', '2h'],
    ['W38: `until` goes on at its moment', 'until', '2026-01-01T02:00:00Z'],
  ] as const)('%s', async ([, how, when]) => {
    const clock = fakeClock();
    const run = scene({ clock });
    let after = 0;
    const flow = workflow('flow', async (ctx) => {
      await ctx[how]('soak', when);
      return ctx.step('after', () => (after += 1));
    });
    const { state } = await play(flow, [], { run });
    const over = clock.now() + 2 * 3_600_000;
    expect([asking(state), dueEvent(state, over - 1), after]).toEqual([['soak#1'], undefined, 0]);
    // Whoever runs next fires it, however late.
    const due = dueEvent(state, over + 86_400_000);
    expect((await goOn(evolve(state, due ?? { type: 'run-continued' }), flow, [], { run })).output).toBe(1);
  });

  test.for(['sleep', 'event'] as const)(
    '`%s` that is over stays over when the code behind it throws (B2)',
    async (what) => {
      const clock = fakeClock();
      const run = scene({ clock });
      let isAway = true;
      const flow = workflow('flow', async (ctx) => {
        const got = await (what === 'sleep' ? ctx.sleep('soak', '2h') : ctx.event('paid', { timeout: '2h' }));
        if (isAway) throw new Error('service away');
        return ctx.step('after', () => got ?? null);
      });
      const { state } = await play(flow, [], { run });
      expect(openInterrupts(state)).toMatchObject([
        { source: { wait: what === 'sleep' ? 'timer' : 'event' } },
      ]);
      const over = clock.now() + 2 * 3_600_000;
      const failed = await goOn(evolve(state, dueEvent(state, over)!), flow, [], { run });
      expect(failed.outcome).toMatchObject({ type: 'ended', reason: { type: 'failed' } });
      isAway = false;
      const again = await goOn(evolve(failed.state, { type: 'run-continued' }), flow, [], { run });
      expect([again.outcome, again.output]).toMatchObject([
        { type: 'ended', reason: { type: 'done' } },
        null,
      ]);
    },
  );

  test('W40: a question goes to somebody else where nobody answered in time', async () => {
    const clock = fakeClock();
    const run = scene({ clock });
    const flow = workflow('flow', (ctx) =>
      ctx.ask('ok', {
        prompt: 'ok?',
        schema: z.boolean(),
        timeout: '2s',
        onTimeout: { escalate: { to: 'bob' } },
      }),
    );
    const { state } = await play(flow, [], { run });
    const escalated = evolve(state, dueEvent(state, clock.now() + 2_000) ?? { type: 'run-continued' });
    expect(openInterrupts(escalated)).toMatchObject([
      { source: { operation: 'ok#1' }, escalated: { to: 'bob' } },
    ]);
    expect((await goOn(escalated, flow, [{ say: true }], { run })).output).toBe(true);
  });

  test('W18: the time, chance and ids are what they were', async () => {
    const clock = fakeClock();
    const seen: unknown[] = [];
    const flow = workflow('flow', async (ctx) => {
      seen.push([await ctx.now(), await ctx.random(), await ctx.uuid(), await ctx.uuid()]);
      return ctx.ask('go', { prompt: 'go?' });
    });
    const first = await play(flow, [], { run: scene({ clock }) });
    await clock.advance(60_000);
    await goOn(first.state, flow, [{ say: 1 }], { run: scene({ clock }) });
    expect(seen).toHaveLength(3);
    expect(seen.slice(1)).toEqual([seen[0], seen[0]]);
    const [[now, random, one, other]] = seen as [[number, number, string, string]];
    expect(now).toBe(Date.UTC(2026, 0, 1));
    expect(random >= 0 && random < 1).toBe(true);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other).not.toBe(one);
  });
});
