import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { Workflow } from '../../../src/graph/index.js';
import { workflow } from '../../../src/graph/index.js';
import { defineTool } from '../../../src/tools/index.js';

const add = defineTool(
  {
    name: 'add',
    description: 'Adds.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.number(),
  },
  ({ a, b }) => a + b,
);

test('input, answers and results of a workflow have their types without a cast', () => {
  const flow = workflow('flow', { input: z.object({ hosts: z.array(z.string()) }) }, async (ctx, input) => {
    expectTypeOf(input).toEqualTypeOf<{ hosts: string[] }>();
    const { version } = await ctx.ask('version', { prompt: '?', schema: z.object({ version: z.string() }) });
    expectTypeOf(version).toEqualTypeOf<string>();
    expectTypeOf(await ctx.step('count', () => input.hosts.length)).toEqualTypeOf<number>();
    expectTypeOf(await ctx.tool(add, { a: 1, b: 2 })).toEqualTypeOf<number>();
    const both = await ctx.all('both', { a: (one) => one.step('a', () => 'a'), b: (one) => one.now() });
    expectTypeOf(both).toEqualTypeOf<{ readonly a: string; readonly b: number }>();
    return version;
  });
  expectTypeOf(flow).toEqualTypeOf<Workflow<{ hosts: string[] }, string>>();
});

test('a typo in a workflow does not compile', () => {
  const inner = workflow('inner', { input: z.number() }, (_ctx, n) => n * 2);
  workflow('flow', async (ctx) => {
    // @ts-expect-error -- there is no operation of that name
    await ctx.stepp('a', () => 1);
    // @ts-expect-error -- the input of the tool has `b`
    await ctx.tool(add, { a: 1, c: 2 });
    // @ts-expect-error -- the workflow takes a number
    await ctx.call(inner, 'four');
    // @ts-expect-error -- nor does it take an object
    await ctx.call(inner, { four: 4 });
    // @ts-expect-error -- no such effect
    await ctx.step('a', () => 1, { effect: 'twice' });
    const answer = await ctx.ask('ok', { prompt: '?', schema: z.object({ ok: z.boolean() }) });
    // @ts-expect-error -- the answer has `ok`
    return answer.okay;
  });
});
