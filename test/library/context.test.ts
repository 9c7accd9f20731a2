import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { TranscriptMessage } from '../../src/index.js';
import {
  answers,
  defineTool,
  generate,
  openChat,
  openFlow,
  openStore,
  textOf,
  workflow,
  wrapTool,
} from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const user = z.object({
  name: z.string(),
  db: z.custom<Map<string, number>>((value) => value instanceof Map),
});

const seen: unknown[] = [];
const pay = defineTool(
  {
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    context: user,
    needsApproval: (input, { context, ref, sessionId, messages }) => {
      expectTypeOf(context.name).toEqualTypeOf<string>();
      seen.push(['gate', ref, sessionId, messages.toArray().map(textOf), context.name]);
      return input.amount > Number(context.db.get('limit'));
    },
  },
  (input, { context, sessionId, ref, messages }) => {
    expectTypeOf(context.db).toEqualTypeOf<Map<string, number>>();
    seen.push(['body', ref, sessionId, messages.toArray().map(textOf), context.name]);
    return input.amount;
  },
);
const context = { name: 'ann', db: new Map([['limit', 10]]) };
const call = (amount: number) => ({ name: 'pay', input: { amount }, ref: 'c1' });

describe('L1, L10: the context of a request', () => {
  test('reaches gates and bodies with ref, session and messages, also where a person answered', async () => {
    seen.length = 0;
    const model = scriptedModel([{ text: 'now', tools: [call(50)] }, 'ok']);
    const request = { model, tools: [pay], runId: 'order-7', context };
    const asked = await generate({ ...request, prompt: 'pay' });
    expect(seen).toEqual([['gate', 'c1', 'order-7', ['pay'], 'ann']]);
    const bob = { ...context, name: 'bob' };
    const messages = JSON.parse(JSON.stringify(asked.messages)) as TranscriptMessage[];
    const resume = [answers.restart(asked.interrupts[0]!, { input: { amount: 60 } })];
    await generate({ ...request, context: bob, messages, resume });
    expect(seen.slice(1)).toEqual([
      ['gate', 'c1', 'order-7', ['pay'], 'bob'],
      ['gate', 'c1', 'order-7', ['pay'], 'bob'],
      ['body', 'c1', 'order-7', ['pay'], 'bob'],
    ]);
  });

  test('is in no message, no digest and no key of a repeat', async () => {
    const told = [];
    for (const name of ['ann', 'bob']) {
      const model = scriptedModel([{ tools: [call(50)] }]);
      const { messages, interrupts } = await generate({
        model,
        tools: [pay],
        prompt: 'pay',
        context: { ...context, name },
        clock: { now: () => 0, sleep: () => Promise.resolve() },
      });
      told.push(JSON.stringify([messages, interrupts]));
    }
    expect(told[0]).toBe(told[1]);
    expect(told[0]).not.toContain('ann');
  });

  test.for<[string, unknown, string]>([
    ['none', undefined, 'expected object, received undefined'],
    ['another one', { name: 5, db: new Map() }, 'name: expected string, received number'],
    [
      'one that throws',
      {
        get name() {
          throw new Error('no');
        },
      },
      'no',
    ],
  ])('that is %s is refused before the model is asked', async ([, given, issue]) => {
    const model = scriptedModel(['x']);
    await expect(generate({ model, tools: [pay], prompt: 'pay', context: given })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(`the \`context\` does not match tool \`pay\`: ${issue}`) as string,
    });
    expect(model.requests).toEqual([]);
  });

  test('reaches hooks, with what a restart passed on', async () => {
    const told: unknown[] = [];
    const hooked = wrapTool(pay, (_input, { context: given, approved }, next) => {
      told.push([(given as typeof context).name, approved?.metadata, approved?.edited]);
      return next();
    });
    const model = scriptedModel([{ tools: [call(50)] }, 'ok']);
    const request = { model, tools: [hooked], context };
    const asked = await generate({ ...request, prompt: 'pay' });
    const resume = [answers.restart(asked.interrupts[0]!, { metadata: { note: 'fine' } })];
    await generate({ ...request, messages: asked.messages, resume });
    expect(told).toEqual([['ann', { note: 'fine' }, false]]);
  });
});

test('L1: the context of a chat, and of a workflow, reaches a tool that a person approved, and is kept nowhere', async () => {
  const store = openStore();
  const tools = [pay];
  seen.length = 0;
  const script = () => scriptedModel([{ tools: [call(50)] }, 'ok']);
  await using chat = await openChat({ store, model: script(), tools, context });
  await chat.say('pay');
  await chat.answer(answers.restart(chat.open[0]!));
  const code = workflow('paying', (ctx) => ctx.tool(pay, { amount: 50 }));
  await using flow = await openFlow(code, { store, tools, context });
  await flow.start();
  await flow.answer(answers.restart(flow.open[0]!));
  const names = seen.map((one) => [(one as unknown[])[0], (one as unknown[]).at(-1)]);
  expect(names.filter(([place]) => place === 'body')).toEqual([
    ['body', 'ann'],
    ['body', 'ann'],
  ]);
  expect(names.every(([, name]) => name === 'ann')).toBe(true);
  for (const held of [chat, flow]) {
    const kept = [];
    for await (const event of held.events()) kept.push(event);
    expect(JSON.stringify(kept)).not.toContain('ann');
  }
});
