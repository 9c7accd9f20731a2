import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { workflow } from '../../../src/graph/index.js';
import { decide } from '../drive-graph.js';
import { asking, goOn, play } from './play.js';

const yes = z.boolean();

describe('branches of a workflow', () => {
  test('W19: `all` gives every result by name', async () => {
    const flow = workflow('flow', (ctx) =>
      ctx.all('zones', { a: (one) => one.step('drain', () => 'a!'), b: (one) => one.step('drain', () => 2) }),
    );
    expect((await play(flow)).output).toEqual({ a: 'a!', b: 2 });
  });

  test('W20: the first failure of `all` ends the others, withdraws their questions, and stays the one', async () => {
    const flow = workflow('flow', async (ctx) => {
      let failed = '';
      try {
        await ctx.all('zones', {
          a: (one) => one.ask('ok', { prompt: 'a?', schema: yes }),
          b: (one) =>
            one.step('drain', () => {
              throw new Error('b is full');
            }),
        });
      } catch (error) {
        failed = error instanceof Error ? error.message : '';
      }
      return [failed, await ctx.ask('go', { prompt: 'go?' })];
    });
    const { state } = await play(flow);
    expect(asking(state)).toEqual(['go#1']);
    expect((await goOn(state, flow, [{ say: 1 }])).output).toEqual(['b is full', 1]);
  });

  test('W21: the branch that won a race wins it in each replay', async () => {
    let slow: (value: string) => void = () => undefined;
    let runs = 0;
    const flow = workflow('flow', async (ctx) => {
      runs += 1;
      const won = await ctx.race('first', {
        slow: (one) =>
          one.step(
            'slow',
            () =>
              new Promise<string>((resolve) => {
                slow = resolve;
              }),
          ),
        quick: async (one) => {
          const said = await one.step('quick', () => 'quick');
          return said;
        },
      });
      slow('slow');
      return [won, await ctx.ask('go', { prompt: 'go?' })];
    });
    const { output } = await play(flow, [{ say: 1 }]);
    expect([output, runs]).toEqual([['quick', 1], 2]);
  });

  test('W22: `any` waits for a success, `settled` for all', async () => {
    const fails = (): never => {
      throw new Error('no');
    };
    const flow = workflow('flow', async (ctx) => {
      const one = await ctx.any('any', {
        bad: (at) => at.step('bad', fails),
        good: (at) => at.step('good', () => 'good'),
      });
      const both = await ctx.settled('both', {
        bad: (at) => at.step('bad', fails),
        good: (at) => at.step('good', () => 1),
      });
      return [one, both.bad.status, both.good];
    });
    expect((await play(flow)).output).toEqual(['good', 'rejected', { status: 'fulfilled', value: 1 }]);
  });

  test('W23: no more branches run at once than the limit says', async () => {
    let now = 0;
    let most = 0;
    const branch = (ctx: { step: (name: string, body: () => Promise<number>) => Promise<number> }) =>
      ctx.step('work', async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return (now -= 1);
      });
    const flow = workflow('flow', (ctx) =>
      ctx.all('many', { a: branch, b: branch, c: branch, d: branch }, { limit: 2 }),
    );
    await play(flow);
    expect(most).toBe(2);
  });

  test('W24: one branch goes on while another waits, and each is answered by itself', async () => {
    const done: string[] = [];
    const flow = workflow('flow', (ctx) =>
      ctx.all('zones', {
        a: async (one) => {
          const ok = await one.ask('ok', { prompt: 'a?', schema: yes });
          await one.step('done', () => void done.push('a'));
          return ok;
        },
        b: async (one) => {
          await one.step('work', () => void done.push('work b'));
          return one.ask('ok', { prompt: 'b?', schema: yes });
        },
      }),
    );
    const first = await play(flow);
    expect([asking(first.state), done]).toEqual([['zones/a/ok#1', 'zones/b/ok#1'], ['work b']]);
    const second = await goOn(
      decide(first.state, { action: 'respond', output: true }, ({ payload }) =>
        JSON.stringify(payload).includes('a?'),
      ),
      flow,
    );
    expect([asking(second.state), done]).toEqual([['zones/b/ok#1'], ['work b', 'a']]);
    expect((await goOn(second.state, flow, [{ say: false }])).output).toEqual({ a: true, b: false });
  });
});
