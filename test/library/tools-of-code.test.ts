import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { createMemoryStore } from '../../sessions/index.js';
import type { Flow, Graph } from '../../src/index.js';
import { answers, defineTool, graph, openFlow, systemClock, toolSet, workflow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const memoryStore = () => createMemoryStore({ clock: systemClock, random: (size) => new Uint8Array(size) });

/** A tool that asks before it runs, and what it was given. */
function paying() {
  const paid: string[] = [];
  const pay = defineTool(
    { name: 'pay', description: 'Pays.', input: z.object({ to: z.string() }), needsApproval: true },
    ({ to }) => {
      paid.push(to);
      return `paid ${to}`;
    },
  );
  return { pay, paid };
}

function question(flow: Flow) {
  const [open, ...others] = flow.open;
  if (open === undefined || others.length > 0) throw new Error(`${flow.open.length} questions are open`);
  return open;
}

const { pay, paid } = paying();
const steps: string[] = [];

const byCode = workflow('rent', async (ctx) => {
  await ctx.step('look', () => void steps.push('look'));
  return ctx.tool(pay, { to: 'Ada' });
});
const inBranch = workflow('rents', (ctx) => ctx.all('who', { a: (one) => one.tool(pay, { to: 'Ada' }) }));
const byCall = workflow('month', (ctx) => ctx.call(byCode, {}));
const calledGraph = graph('node')
  .tool('pay', { tool: pay, input: () => ({ to: 'Ada' }) })
  .end('pay')
  .build();
const byGraph = workflow('outer', (ctx) => ctx.call(calledGraph));
const byAgent = workflow('chat', (ctx) =>
  ctx.agent('writer', {
    prompt: 'Pay Ada',
    model: scriptedModel([{ tools: [{ name: 'pay', input: { to: 'Ada' } }] }, 'Paid.']),
    tools: toolSet([pay]),
  }),
);

describe('the tool of an operation of a workflow’s code', () => {
  test.for<[string, Graph]>([
    ['the code itself', byCode],
    ['a branch of the code', inBranch],
    ['a workflow that it calls', byCall],
    ['a node of a graph that it calls', byGraph],
    ['an agent that it asks', byAgent],
  ])('W78: is known where its approval is answered, without being told twice: of %s', async ([, flow]) => {
    paid.length = 0;
    const store = memoryStore();
    const first = await openFlow(flow, { store });
    await first.start();
    const { id } = first;
    await first.close();
    steps.length = 0;
    await using second = await openFlow(id, flow, { store });
    const asked = question(second);
    expect(asked.source).toMatchObject({ type: 'tool', name: 'pay' });
    const wrong = { ...answers.restart(asked), resolution: { action: 'restart', input: { to: 5 } } } as const;
    await expect(Promise.resolve(second.answer(wrong))).rejects.toThrow('invalid new input');
    expect([question(second), paid]).toEqual([asked, []]);
    expect(await second.answer(pay.restart(asked, { input: { to: 'Bob' } }))).toMatchObject({ type: 'done' });
    expect([paid, steps]).toEqual([['Bob'], []]);
  });

  test('W78: is not there where the code of today does not come to it', async () => {
    const store = memoryStore();
    const first = await openFlow(byCode, { store });
    await first.start();
    await first.close();
    const other = workflow('rent', async (ctx) => ctx.ask('sure', { prompt: 'Sure?' }));
    await using second = await openFlow(first.id, other, { store });
    await expect(Promise.resolve(second.answer(answers.restart(question(second))))).rejects.toThrow(
      'its tool is missing',
    );
  });
});
