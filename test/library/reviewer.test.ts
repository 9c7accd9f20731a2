import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { LiveEvent, ReviewFunction, Verdict } from '../../src/index.js';
import { defineTool, functionReviewer, generate, graph, openChat, openFlow } from '../../src/index.js';
import { createMemoryStore } from '../../sessions/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';

const LOW: Verdict = { risk: 'low', authorized: 'high', decision: 'allow', why: 'The user asked for it.' };

/** A tool that posts, its posts, and a model that calls it once or more. */
function posting({ reviewable = true, times = 1 } = {}) {
  const posts: string[] = [];
  const post = defineTool(
    {
      name: 'post',
      description: 'Posts.',
      input: z.object({ to: z.string() }),
      needsApproval: true,
      reviewable,
    },
    ({ to }) => {
      posts.push(to);
      return Promise.resolve('posted');
    },
  );
  const calls = Array.from({ length: times }, (_, at) => ({ name: 'post', input: { to: `ann${at}` } }));
  return { posts, post, model: scriptedModel([{ tools: calls }, { text: 'done' }]) };
}

const says =
  (...verdicts: readonly Verdict[]): ReviewFunction =>
  ({ call }) =>
    verdicts[Number(/\d/u.exec(JSON.stringify(call.input))?.[0])] ?? LOW;

describe('openChat with a reviewer', () => {
  test('goes on without a person where it allows the call, and the journal says so', async () => {
    const { model, post, posts } = posting();
    const chat = await openChat({
      model,
      tools: [post],
      reviewer: functionReviewer(says(LOW), { name: 'ours' }),
    });
    const result = await chat.say('post it');
    expect([result.type, posts]).toEqual(['done', ['ann0']]);
    const events: LiveEvent[] = [];
    for await (const event of chat.events()) events.push(event);
    const decided = events.flatMap((event) => (event.type === 'interrupt-resolved' ? [event.by] : []));
    expect(decided).toEqual([{ type: 'reviewer', via: 'function', name: 'ours' }]);
    await chat.close();
  });

  test.for<readonly [string, ReviewFunction, boolean]>([
    ['does not allow it', says({ ...LOW, decision: 'ask' }), true],
    ['throws', () => Promise.reject(new Error('gone')), true],
    ['is for tools that are not `reviewable`', says(LOW), false],
  ])('waits for a person where the reviewer %s', async ([, reviewer, reviewable]) => {
    const { model, post, posts } = posting({ reviewable });
    const chat = await openChat({ model, tools: [post], reviewer });
    const result = await chat.say('post it');
    expect([result.type, posts, chat.open.length]).toEqual(['waiting', [], 1]);
    await chat.close();
  });
});

test('openFlow asks the reviewer about calls of its agents', async () => {
  const { model, post, posts } = posting();
  const flow = graph('w')
    .agent('write', { prompt: () => 'post it' })
    .end('write')
    .build();
  const run = await openFlow(flow, { model, tools: [post], reviewer: says(LOW) });
  const result = await run.start();
  expect([result.type, posts]).toEqual(['done', ['ann0']]);
  await run.close();
});

describe('generate with a reviewer', () => {
  test('runs on where it allows all that wait', async () => {
    const { model, post, posts } = posting({ times: 2 });
    const { finishReason, text, interrupts } = await generate({
      model,
      tools: [post],
      prompt: 'post',
      reviewer: says(LOW),
    });
    expect([finishReason, text, interrupts, posts]).toEqual(['stop', 'done', [], ['ann0', 'ann1']]);
  });

  test('returns all of them where it does not', async () => {
    const { model, post, posts } = posting({ times: 2 });
    const reviewer = says(LOW, { ...LOW, decision: 'ask' });
    const { finishReason, interrupts } = await generate({ model, tools: [post], prompt: 'post', reviewer });
    expect([finishReason, interrupts.length, posts]).toEqual(['interrupted', 2, []]);
  });
});

test.for([true, false])(
  'a store whose upgrade is done: %s has a reviewer, or refuses one',
  async (isDone) => {
    const clock = fakeClock({ auto: true });
    const store = createMemoryStore({ clock, random: (size) => new Uint8Array(size) });
    const upgrade = {
      state: () => Promise.resolve({ isDone, older: [] }),
      upgrade: () => Promise.resolve(),
    };
    Object.defineProperty(store, 'capabilities', { value: { ...store.capabilities, upgrade } });
    const { model, post } = posting();
    const options = { model, tools: [post], clock, store };
    const flow = graph('w')
      .agent('write', { prompt: () => 'post it' })
      .end('write')
      .build();
    const opened = [
      () => openChat({ ...options, id: 'a1', reviewer: says(LOW) }),
      () => openFlow(flow, { ...options, id: 'b1', reviewer: says(LOW) }),
      () => openChat({ ...options, id: 'c1' }),
    ];
    const found = [];
    for (const open of opened)
      found.push(
        await open().then(
          async (one) => {
            await one.close();
            return 'open';
          },
          (error: unknown) => (error as { code?: string }).code,
        ),
      );
    expect(found).toEqual(isDone ? ['open', 'open', 'open'] : ['BAD_CONFIG', 'BAD_CONFIG', 'open']);
  },
);
