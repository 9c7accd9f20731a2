import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../../sessions/index.js';
import type { Answer, SessionId, SessionStore } from '../../../src/core/index.js';
import { answerEvents, isoTime, makeInterrupt, plainAnswer } from '../../../src/core/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { agent, called, confirmation, said, started } from '../sample-events.js';

const input = { amount: 200 };
const { id, digest: _digest, allowed: _allowed, raisedAt, path, ...draft } = confirmation('i1', 'a', input);
const interrupt = makeInterrupt({ ...draft, approvers: { need: 2 } }, { id, path, raisedAt });

function yes(name: string): Answer {
  const by = { type: 'person', name, via: 'library' } as const;
  return { id, digest: interrupt.digest, resolution: { action: 'restart' }, by };
}

/** A session with a question that two people must agree to. */
async function asked(): Promise<{ readonly store: SessionStore; readonly session: SessionId }> {
  const store = createMemoryStore({ clock: fakeClock(), random: randomBytes });
  const raised = { type: 'interrupt-raised', interrupt } as const;
  const events = [said('pay'), called('a', input), started('a', 1, input), raised];
  await using made = await store.create({ agent, events });
  return { store, session: made.id };
}

/** The votes that a session has, whether they stand or not. */
async function votesIn(store: SessionStore, session: SessionId): Promise<readonly unknown[]> {
  await using opened = await store.open(session, 'read');
  return (opened.state.votes ?? []).map(({ by, receipt }) => [by.type === 'person' && by.name, receipt]);
}

describe('a vote that was posted', () => {
  test('is cast once under its name, which no other one can have', async () => {
    const { store, session } = await asked();
    const post = (name: string) => store.post(session, yes(name), { receipt: 'r1' });
    expect([await post('ann'), await post('ann')]).toMatchObject([{ type: 'voted' }, { type: 'voted' }]);
    await expect(post('bob')).rejects.toMatchObject({
      message: 'receipt `r1` belongs to a different answer',
    });
    expect(await votesIn(store, session)).toEqual([['ann', 'r1']]);
  });

  test('is told by its receipt that it decided, with the other one', async () => {
    const { store, session } = await asked();
    const posted = [await store.post(session, yes('ann')), await store.post(session, yes('bob'))];
    expect(posted.map(({ type }) => type)).toEqual(['voted', 'recorded']);
    const fates = posted.map((one) => store.fate(one, AbortSignal.timeout(20_000)));
    expect(await Promise.all(fates)).toMatchObject([{ type: 'used' }, { type: 'used' }]);
  });

  test('is not handed out again by a writer that comes later, though its question is open', async () => {
    const { store, session } = await asked();
    {
      await using writer = await store.open(session, 'write');
      await store.post(session, yes('ann'), { receipt: 'r1' });
      const inbox = writer.answers();
      const answer = (await inbox.take())!;
      const circumstances = { at: isoTime(0), receipt: inbox.receiptOf?.(answer) };
      await writer.append(answerEvents(plainAnswer(answer, { interrupt }), writer.state, circumstances));
    }
    expect(await votesIn(store, session)).toEqual([['ann', 'r1']]);
    await using next = await store.open(session, 'write');
    expect(await next.answers().take()).toBeUndefined();
  });
});
