// A hundred chats at once in a new folder, of which some wait for a person; then all of those are answered.
import type { WaitingItem } from 'hitl';
import { answers, defineTool, openChat, openStore } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const refund = defineTool(
  {
    name: 'refund',
    description: 'Refunds.',
    input: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 90,
  },
  ({ amount }) => amount,
);
const store = openStore(path.join(await mkdtemp(path.join(tmpdir(), 'hitl-batch-')), 'sessions'));
const options = (amount: number) => ({
  store,
  model: scriptedModel([{ tools: [{ name: 'refund', input: { amount } }] }, 'Refunded.']),
  tools: [refund],
});

const amounts = Array.from({ length: 100 }, (_, index) => index + 1);
const ends = await Promise.all(
  amounts.map(async (amount) => {
    await using chat = await openChat(options(amount));
    return await chat.say(`Refund ${amount}`);
  }),
);
console.log(ends.filter(({ type }) => type === 'done').length, 'done', await store.waitingCount(), 'waiting');

async function agree({ session, interrupt }: WaitingItem) {
  await using chat = await openChat(session, options(100));
  await chat.answer(answers.restart(interrupt));
}
for await (const waiting of store.waiting()) await agree(waiting);
console.log(await store.waitingCount(), 'waiting');
