import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { openInterrupts } from '../../../src/core/index.js';
import { graph, workflow } from '../../../src/graph/index.js';
import { defineTool, toolSet } from '../../../src/tools/index.js';
import { calls, scene } from '../../engine/drive.js';
import { asking, goOn, play } from './play.js';

function payTool(paid: number[]) {
  return defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number() }),
      output: z.object({ paid: z.number() }),
      needsApproval: true,
    },
    ({ amount }) => {
      paid.push(amount);
      return { paid: amount };
    },
  );
}

describe('what runs inside of an operation', () => {
  test('W25: a tool asks for its approval, runs once, and gives its typed output', async () => {
    const paid: number[] = [];
    const pay = payTool(paid);
    const flow = workflow('flow', async (ctx) => {
      const first = await ctx.tool(pay, { amount: 5 });
      await ctx.ask('go', { prompt: 'go?' });
      return first.paid + 1;
    });
    const first = await play(flow);
    expect([asking(first.state), paid]).toEqual([['flow@1/pay#1 › pay'], []]);
    const { output } = await goOn(first.state, flow, [{ action: 'restart' }, { say: 1 }]);
    expect([output, paid]).toEqual([6, [5]]);
  });

  test('W26: a tool that is rejected fails its operation, and the code may catch that', async () => {
    const flow = workflow('flow', async (ctx) => {
      try {
        await ctx.tool(payTool([]), { amount: 5 });
        return 'paid';
      } catch (error) {
        return error instanceof Error ? `not paid: ${error.message}` : '';
      }
    });
    const { output } = await play(flow, [{ action: 'reject', reason: 'too much' }]);
    expect(output).toMatch(/^not paid: .*too much/);
  });

  test('W27: an agent runs as any chat, with the questions of its tools', async () => {
    const paid: number[] = [];
    const pay = payTool(paid);
    const run = scene({ replies: [calls(['pay', { amount: 7 }]), 'paid 7'] });
    const flow = workflow('flow', (ctx) => ctx.agent('clerk', { prompt: 'Pay 7.', tools: toolSet([pay]) }));
    const first = await play(flow, [], { run });
    expect(asking(first.state)).toEqual(['flow@1/clerk#1 › pay']);
    const { output } = await goOn(first.state, flow, [{ action: 'restart' }], { run });
    expect([output, paid]).toEqual(['paid 7', [7]]);
  });

  test('W28: a workflow calls another one, whose questions are its own', async () => {
    const inner = workflow('inner', { input: z.number() }, async (ctx, n) => {
      const ok = await ctx.ask('ok', { prompt: `${n}?`, schema: z.boolean() });
      return ok ? n * 2 : 0;
    });
    const flow = workflow('flow', async (ctx) => [await ctx.call(inner, 4), await ctx.call(inner, 5)]);
    const first = await play(flow);
    expect(asking(first.state)).toEqual(['flow@1/inner#1 › ok#1']);
    expect((await goOn(first.state, flow, [{ say: true }, { say: true }])).output).toEqual([8, 10]);
  });

  test('W29: a workflow calls a graph with its gates, and a graph has a workflow as a node', async () => {
    const gated = graph('gated')
      .fn('double', ({ n }) => Number(n) * 2, { gate: { before: true } })
      .end('double')
      .build();
    const flow = workflow('flow', (ctx) => ctx.call(gated, { n: 4 }));
    const around = graph('around').subgraph('part', { graph: flow }).end('part').build();
    const first = await play(around);
    expect(openInterrupts(first.state).map(({ kind, path }) => [kind, path])).toEqual([
      ['gate', 'part@1/flow@1/gated#1'],
    ]);
    const { state } = await goOn(first.state, around, [{ action: 'continue' }]);
    expect(state.graph?.state).toEqual({ part: 8 });
  });

  test('W30: cancelled at a question the run ends; taken up again it asks again', async () => {
    const log: string[] = [];
    const flow = workflow('flow', async (ctx) => {
      try {
        return await ctx.ask('ok', { prompt: 'ok?', schema: z.boolean() });
      } finally {
        log.push('finally');
      }
    });
    const ended = await play(flow, [{ action: 'cancel' }]);
    expect([ended.outcome, log]).toMatchObject([{ type: 'ended', reason: { type: 'aborted' } }, []]);
    const again = await goOn(ended.state, flow);
    expect(asking(again.state)).toEqual(['ok#1']);
    expect((await goOn(again.state, flow, [{ say: true }])).output).toBe(true);
  });
});
