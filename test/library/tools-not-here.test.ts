import { describe, expect, test } from 'vitest';

import { checkSessionId } from '../../src/core/index.js';
import type { SessionStore, Tool } from '../../src/index.js';
import { answers, defineTool, graph, openChat, openFlow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { temporaryStore } from '../sessions/temporary-store.js';

const ID = checkSessionId('a-session');
const asks = (...tools: readonly string[]) =>
  scriptedModel([{ tools: tools.map((name) => ({ name, input: {} })) }, 'thanks']);

const pay = (name = 'pay') =>
  defineTool({ name, description: 'Pays.', needsApproval: true }, () => `${name}: paid`);
const LOOK = { name: 'look', description: 'Looks.', effect: 'none' } as const;
const look = defineTool(LOOK, () => 'seen');

/** The number of the last event, and the tools that the session knows. */
async function standing(store: SessionStore) {
  await using session = await store.open(ID, 'read');
  const { agent, open, entries } = session.state;
  return {
    version: session.version,
    tools: agent?.tools.map(({ name }) => name),
    calls: open?.calls.map(({ state }) => state.status),
    said: entries.at(-1)?.message.content,
  };
}

async function goOn(store: SessionStore, tools: readonly Tool[]): Promise<unknown> {
  await using chat = await openChat(ID, { store, model: asks('pay'), tools });
  return await chat.resume();
}

async function begin(store: SessionStore, tools: readonly Tool[], ...names: readonly string[]) {
  const chat = await openChat({ store, id: ID, model: asks(...names), tools });
  await chat.say('Go');
  return chat;
}

const NOT_HERE = {
  code: 'TOOL_NOT_FOUND',
  message: 'missing tool: `pay`; nothing ran, and approvals still stand',
};

describe('a call whose tool is not here', () => {
  test('keeps its approval for a program that has the tool', async () => {
    const store = temporaryStore();
    const chat = await begin(store, [pay()], 'pay');
    const [question] = chat.open;
    await chat.close();
    await store.post(ID, answers.restart(question!));
    const before = await standing(store);
    await expect(goOn(store, [look])).rejects.toMatchObject(NOT_HERE);
    expect(await standing(store)).toEqual(before);
    expect(await goOn(store, [pay()])).toEqual({ type: 'done', text: 'thanks' });
    expect(JSON.stringify(await standing(store))).toContain('thanks');
  });

  test('starts none of its siblings either, and they are all there later', async () => {
    const store = temporaryStore();
    const chat = await begin(store, [pay(), pay('send')], 'pay', 'send');
    const open = chat.open;
    await chat.close();
    for (const question of open) await store.post(ID, answers.restart(question));
    await expect(goOn(store, [pay('send')])).rejects.toMatchObject(NOT_HERE);
    expect((await standing(store)).calls).toEqual(['ready', 'ready']);
  });

  test('leaves an answer where it lies that was left for whoever writes the session', async () => {
    const store = temporaryStore();
    const chat = await begin(store, [pay()], 'pay');
    const posted = await store.post(ID, answers.restart(chat.open[0]!));
    expect(posted.type).toBe('left');
    await chat.close();
    await expect(goOn(store, [])).rejects.toMatchObject(NOT_HERE);
    expect(await goOn(store, [pay()])).toEqual({ type: 'done', text: 'thanks' });
  });

  test('is not told to be unknown where the session knows it, though nobody was asked about it', async () => {
    const store = temporaryStore();
    let begins = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const endless = defineTool(LOOK, (_input, { signal }) => {
      begins();
      return new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    });
    const chat = await openChat({ store, id: ID, model: asks('look'), tools: [endless] });
    chat.say('Go').catch(() => undefined);
    await begun;
    await chat.close();
    const before = await standing(store);
    expect(before.calls).toEqual(['started']);
    await expect(goOn(store, [])).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(await standing(store)).toEqual(before);
    expect(await goOn(store, [look])).toEqual({ type: 'done', text: 'thanks' });
  });

  test('keeps nobody from answering what is asked beside it', async () => {
    const store = temporaryStore();
    const chat = await begin(store, [pay(), pay('send')], 'pay', 'send');
    const [first, second] = chat.open;
    await chat.close();
    await store.post(ID, answers.restart(first!));
    await using without = await openChat(ID, { store, model: asks('pay'), tools: [pay('send')] });
    await expect(without.answer(answers.reject(second!))).rejects.toMatchObject(NOT_HERE);
    expect(without.runState.open?.calls.map(({ state }) => state.status)).toEqual(['ready', 'settled']);
  });

  test('stops a workflow before anything of it changes, also beside a branch that could go on', async () => {
    const store = temporaryStore();
    const agent = { kind: 'agent' } as const;
    const parallel = graph('both')
      .group('both', {
        members: { one: { ...agent, model: asks('pay') }, two: { ...agent, model: asks('send') } },
      })
      .end('both')
      .build();
    const first = await openFlow(parallel, { store, id: ID, tools: [pay(), pay('send')] });
    await first.start();
    const open = first.open;
    await first.close();
    for (const question of open) await store.post(ID, answers.restart(question));
    const before = await standing(store);
    await using second = await openFlow(ID, parallel, { store, tools: [pay('send')] });
    await expect(second.resume()).rejects.toMatchObject(NOT_HERE);
    expect(await standing(store)).toEqual(before);
  });
});
