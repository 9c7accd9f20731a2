import { beforeAll, describe, expect, test } from 'vitest';

import { questionNamed } from '../../commands/answer.js';
import type { RunState } from '../../src/core/index.js';
import { checkSessionId, isHitlError, openInterrupts } from '../../src/core/index.js';
import { openChat, openStore } from '../../src/library/index.js';
import { scriptedModel } from '../../src/models/index.js';
import { defineTool } from '../../src/tools/index.js';

const ID = checkSessionId('named');
const pay = defineTool({ name: 'pay', description: 'Pays.', needsApproval: true }, () => 'paid');

/** The state of a session in which i1 was rejected, and i2 and i3 are open. */
async function asked(): Promise<RunState> {
  const store = openStore();
  const calls = ['ann', 'bob', 'cyd'].map((to) => ({ name: 'pay', input: { to } }));
  const model = scriptedModel([{ tools: calls }, { text: 'Done.' }]);
  await using chat = await openChat({ store, model, tools: [pay], id: ID });
  await chat.say('pay them');
  const [first] = openInterrupts(chat.runState);
  if (first === undefined) throw new Error('nothing is asked');
  const { id, digest } = first;
  const by = { type: 'person', name: 'ann', via: 'library' } as const;
  await store.post(ID, { id, digest, resolution: { action: 'reject' }, by });
  await chat.resume();
  return chat.runState;
}

describe('the question that an answer names (A10)', () => {
  let state: RunState;
  const digests = new Map<string, string>();

  beforeAll(async () => {
    state = await asked();
    for (const { id, digest } of openInterrupts(state)) digests.set(id, digest);
    for (const { interrupt } of state.resolved.toArray()) digests.set(interrupt.id, interrupt.digest);
    expect([...digests.keys()].sort()).toEqual(['i1', 'i2', 'i3']);
  });

  test.for<readonly [name: string | undefined, shown: string | undefined, digits: number, found: string]>([
    ['i2', undefined, 0, 'i2'],
    ['i2', 'i2', 8, 'i2'],
    ['i2', 'i2', 64, 'i2'],
    [undefined, 'i3', 8, 'i3'],
    [undefined, 'i3', 20, 'i3'],
    ['i2', 'i3', 8, 'BAD_ANSWER'],
    ['i3', 'i1', 8, 'BAD_ANSWER'],
    ['i1', undefined, 0, 'ALREADY_ANSWERED'],
    ['i1', 'i1', 8, 'ALREADY_ANSWERED'],
    [undefined, 'i1', 8, 'ALREADY_ANSWERED'],
    [undefined, 'i3', 7, 'BAD_ANSWER'],
    ['i3', 'i3', 7, 'BAD_ANSWER'],
    ['i9', 'i2', 8, 'INTERRUPT_NOT_FOUND'],
    [undefined, undefined, 0, 'USAGE'],
  ])('by the id %s and the digest of %s, %i digits of it, is %s', ([interrupt, shown, digits, found]) => {
    const digest = shown === undefined ? undefined : digests.get(shown)?.slice(0, digits);
    const result = (): string => {
      try {
        return questionNamed(state, { interrupt, digest }, ID).id;
      } catch (thrown) {
        return isHitlError(thrown) ? thrown.code : String(thrown);
      }
    };
    expect(result()).toBe(found);
  });
});
