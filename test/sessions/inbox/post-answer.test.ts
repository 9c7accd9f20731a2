import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../../sessions/index.js';
import { inboxInMemory } from '../../../sessions/inbox/inbox-memory.js';
import { postAnswer } from '../../../sessions/inbox/post-answer.js';
import type { Answer } from '../../../src/core/index.js';
import { agent, confirmation, transferTurn } from '../sample-events.js';
import { tickingClock } from '../temporary-store.js';

const QUESTION = confirmation('i1', 'a', { amount: 200 });

function answerOf(name: string): Answer {
  const { id, digest } = QUESTION;
  return { id, digest, resolution: { action: 'restart' }, by: { type: 'person', name, via: 'library' } };
}

/** A question, and its inbox, in which somebody else posts an answer before the journal is read for the second time. */
async function raced(other: { readonly answer: Answer; readonly receipt: string }) {
  const clock = tickingClock();
  const store = createMemoryStore({ clock, random: randomBytes });
  const session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  await session[Symbol.asyncDispose]();
  const { id } = session;
  let looks = 0;
  const place = inboxInMemory({
    id,
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    random: randomBytes,
    session: async () => {
      looks += 1;
      if (looks === 2) await store.post(id, other.answer, { receipt: other.receipt });
      return { state: (await store.open(id, 'read')).state, past: '' };
    },
    journalMark: () => Promise.resolve(undefined),
  });
  return postAnswer(place, answerOf('ann'), { receipt: 'r1' }, () => store.open(id, 'write'));
}

test('an answer that is handed over cannot say that something was not shown', async () => {
  const store = createMemoryStore({ clock: tickingClock(), random: randomBytes });
  const session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  await session[Symbol.asyncDispose]();
  const posted = store.post(session.id, { ...answerOf('ann'), unread: { rows: 1, of: 2 } });
  await expect(posted).rejects.toThrow(
    'invalid answer: `unread` is only valid from the terminal that shows the question',
  );
});

describe('R6: an answer that is posted while the same one is under way', () => {
  test('under the same receipt is told the same', async () => {
    expect(await raced({ answer: answerOf('ann'), receipt: 'r1' })).toMatchObject({
      type: 'recorded',
      receipt: 'r1',
    });
  });

  test('by somebody else is told that it was decided', async () => {
    await expect(raced({ answer: answerOf('bob'), receipt: 'r2' })).rejects.toMatchObject({
      code: 'ALREADY_ANSWERED',
    });
  });
});
