import { describe, expect, test } from 'vitest';

import { atMost, namedSession } from '../../commands/store/which-session.js';
import type { SessionId, SessionStore } from '../../src/core/index.js';
import { openStore } from '../../src/library/index.js';

async function storeOf(...ids: readonly string[]): Promise<SessionStore> {
  const store = openStore();
  for (const id of ids)
    await (
      await store.create({ id: id as SessionId, agent: { model: 'm', tools: [] } })
    )[Symbol.asyncDispose]();
  return store;
}

describe('the session of a command line', () => {
  test('is the one that the first word begins, and the rest follows', async () => {
    const store = await storeOf('one', 'two');
    expect(await namedSession(store, 'answer', ['o', 'n', 'not this'], {})).toEqual({
      id: 'one',
      rest: ['n', 'not this'],
    });
  });

  test('is the newest one with `--last`, and all words follow', async () => {
    const store = await storeOf('one');
    expect(await namedSession(store, 'answer', ['y'], { last: true })).toEqual({
      id: 'one',
      rest: ['y'],
    });
    expect(await namedSession(store, 'why', [undefined, undefined], { last: true })).toEqual({
      id: 'one',
      rest: [],
    });
  });

  test('is asked for where none is named, and none where there is none', async () => {
    const store = await storeOf();
    await expect(namedSession(store, 'show', [undefined], {})).rejects.toMatchObject({
      code: 'USAGE',
      hint: 'hitl show <id>, or hitl show --last (see hitl list)',
    });
    await expect(namedSession(store, 'show', [], { last: true })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test('is not named twice', () => {
    expect(atMost(['i1'], 1)).toEqual(['i1']);
    expect(() => atMost(['one', 'i1'], 1)).toThrow('`<id>` and `--last` cannot be used together');
  });
});
