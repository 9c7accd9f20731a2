// A payment above 100 needs a yes; the tool itself knows nothing of that.
import { answers, defineTool, openChat } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const pay = defineTool(
  {
    name: 'pay',
    description: 'Pays an invoice.',
    input: z.object({ invoice: z.string(), amount: z.number() }),
    needsApproval: ({ amount }) => amount > 100,
  },
  ({ invoice, amount }) => `paid ${amount} for ${invoice}`,
);
const model = scriptedModel([
  {
    tools: [
      { name: 'pay', input: { invoice: 'A1', amount: 40 } },
      { name: 'pay', input: { invoice: 'B2', amount: 900 } },
    ],
  },
  'A1 is paid, B2 is not.',
]);

await using chat = await openChat({ model, tools: [pay] });
await chat.say('Pay A1 and B2');
for (const question of chat.open) {
  const end = await chat.answer(answers.reject(question, { reason: 'ask the controller first' }));
  console.log(end.text);
}
