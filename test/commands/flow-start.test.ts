import { describe, expect, test } from 'vitest';

import { earlierRun, startFrom } from '../../commands/input/flow-start.js';
import type { SessionStore } from '../../src/core/index.js';
import { answers, graph, openChat, openFlow, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A run that waits for a name, or is over with one. */
async function ran(store: SessionStore, { isOver }: { readonly isOver: boolean }): Promise<string> {
  const form = graph('form')
    .human('name', { question: () => ({ prompt: 'Name?', schema: { type: 'string' } }) })
    .end('name')
    .build();
  await using flow = await openFlow(form, { store });
  await flow.start({ from: 'web' });
  const [question] = flow.open;
  if (isOver && question !== undefined) await flow.answer(answers.respond(question, 'Ada'));
  return flow.id;
}

describe('another run', () => {
  test('is of one that is over, and begins with what that began with, not with what it left', async () => {
    const store = openStore();
    const id = await ran(store, { isOver: true });
    const { start } = await earlierRun(store, id);
    expect(start.set).toEqual({ from: 'web' });
  });

  test('is not of one that waits, nor of a chat: nothing runs twice by mistake', async () => {
    const store = openStore();
    await using chat = await openChat({ store, model: scriptedModel(['hello']) });
    await chat.say('hi');
    await chat.close();
    const waits = await ran(store, { isOver: false });
    const refused = (id: string): unknown => earlierRun(store, id).catch((thrown: unknown) => thrown);
    expect(await Promise.all([waits, chat.id].map(refused))).toMatchObject([
      { code: 'USAGE', message: `session ${waits} has not ended` },
      { code: 'USAGE', message: `session ${chat.id} has not run a workflow` },
    ]);
  });
});

describe('the start of a workflow', () => {
  const earlier = { set: { a: 1, input: 'x' }, seed: 7, maxIterations: 3, before: ['pay'], after: [] };

  test('is as the earlier run began where nothing is said anew, with its gates', () => {
    expect(startFrom({}, undefined, earlier)).toEqual(earlier);
  });

  test('has what is said anew before that', () => {
    const said = { set: { a: 2, b: 3 }, before: ['ship', '*'], after: ['ship'], maxIterations: 9, seed: 1 };
    expect(startFrom(said, 'y', earlier)).toEqual({
      set: { a: 2, b: 3, input: 'y' },
      before: '*',
      after: ['ship'],
      maxIterations: 9,
      seed: 1,
    });
  });

  test('has its input once', () => {
    expect(() => startFrom({ set: { input: 'x' } }, 'y', undefined)).toThrow('input specified twice');
  });
});
