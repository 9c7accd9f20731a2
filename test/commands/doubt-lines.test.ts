import { expect, test } from 'vitest';
import * as z from 'zod';

import { doubtLines } from '../../commands/report/doubt-lines.js';
import type { SessionStore, SessionSummary } from '../../src/index.js';
import { answers, defineTool, graph, openChat, openFlow, openStore, workflow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

async function listed(store: SessionStore): Promise<readonly SessionSummary[]> {
  const all: SessionSummary[] = [];
  for await (const one of store.list()) all.push(one);
  return all;
}

/** A chat that was closed while its tool ran, as a crash leaves it. */
async function stopped(store: SessionStore, effect: 'once' | 'idempotent', title?: string): Promise<string> {
  let isRunning = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    isRunning = resolve;
  });
  const pay = defineTool(
    {
      name: 'pay_all',
      description: 'Pays.',
      input: z.object({}),
      effect,
      ...(title !== undefined && { title: () => title }),
    },
    (_input, { signal }) => {
      isRunning();
      return new Promise<string>((_settle, fail) => {
        signal.addEventListener('abort', () => {
          fail(signal.reason as Error);
        });
      });
    },
  );
  const model = scriptedModel([{ tools: [{ name: pay.name, input: {} }] }]);
  const chat = await openChat({ store, model, tools: [pay] });
  const end = chat.say('Pay').catch(() => undefined);
  await running;
  await chat.close();
  await end;
  return chat.id;
}

test('a session that stopped while a tool ran that must not run twice is told, with what asks about it', async () => {
  const store = openStore();
  const titled = await stopped(store, 'once', 'Pay 5');
  await stopped(store, 'idempotent');
  expect(await doubtLines(store, store.list())).toEqual([
    `In doubt: Pay 5. hitl resume ${titled} asks what happened.`,
  ]);
});

test('with all, one that stopped in anything else is told with what continues it', async () => {
  const store = openStore();
  const once = await stopped(store, 'once', 'Pay 5');
  const idempotent = await stopped(store, 'idempotent');
  expect(new Set(await doubtLines(store, store.list(), { all: true }))).toEqual(
    new Set([
      `In doubt: Pay 5. hitl resume ${once} asks what happened.`,
      `Interrupted: “Pay”. hitl resume ${idempotent} continues it.`,
    ]),
  );
});

test('a title from outside is told as safe text', async () => {
  const store = openStore();
  const id = await stopped(store, 'once', 'Pay\u001b[2J 5');
  expect(await doubtLines(store, store.list())).toEqual([
    `In doubt: Pay\\u{1B}[2J 5. hitl resume ${id} asks what happened.`,
  ]);
});

test('a workflow that stopped in a step or in a node is told, at no other record', async () => {
  const store = openStore();
  const release = workflow('release', async (ctx) => {
    await ctx.step('build', () => 1, { effect: 'idempotent' });
    await ctx.step('ship', () => 1);
    return 'out';
  });
  const pays = graph('pays')
    .fn('pay', () => ({ paid: 1 }))
    .end('pay')
    .build();
  const seen: string[][] = [];
  for (const definition of [release, pays]) {
    await using flow = await openFlow(definition, { store });
    await flow.start();
    const told = new Set<string>();
    for await (const event of flow.events()) {
      if (!('seq' in event)) continue;
      const fork = await flow.fork(event.seq);
      const summaries = (await listed(store)).filter(({ id }) => id === fork);
      for (const line of await doubtLines(store, summaries)) told.add(line.replace(fork, '<id>'));
    }
    seen.push([...told]);
  }
  expect(seen).toEqual([
    ['In doubt: ship#1. hitl resume <id> asks what happened.'],
    ['In doubt: pay. hitl resume <id> asks what happened.'],
  ]);
});

test('what was asked already is a question, and no doubt that is to come', async () => {
  const store = openStore();
  const ask = defineTool(
    { name: 'ask', description: 'Asks.', input: z.object({}), needsApproval: true },
    () => 1,
  );
  await using chat = await openChat({
    store,
    model: scriptedModel([{ tools: [{ name: 'ask', input: {} }] }, 'ok']),
    tools: [ask],
  });
  await chat.say('x');
  expect(await doubtLines(store, store.list())).toEqual([]);
  await chat.answer(answers.restart(chat.open[0]!));
  expect(await doubtLines(store, store.list())).toEqual([]);
});
