import { defineInterrupt, defineTool, generate } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const chooseAccount = defineInterrupt({
  name: 'choose_account',
  description: 'Asks the person which account to pay from.',
  output: z.enum(['checking', 'savings']),
});
const transferMoney = defineTool(
  {
    name: 'transfer_money',
    description: 'Transfers money to another account.',
    input: z.object({ toAccount: z.string(), amount: z.number().positive() }),
    needsApproval: ({ amount }) => amount > 100,
  },
  ({ toAccount, amount }) => `transferred ${amount} to ${toAccount}`,
);

// Plays replies from a list, so that this runs without a key.
const model = scriptedModel([
  {
    tools: [
      { name: 'choose_account' },
      { name: 'transfer_money', input: { toAccount: 'ABC123', amount: 200 } },
    ],
  },
  'Done.',
]);
const tools = [chooseAccount, transferMoney];

const asked = await generate({ model, tools, prompt: 'Transfer 200 to ABC123' });
const [question, confirmation] = asked.interrupts;
if (question === undefined || confirmation === undefined) throw new Error('two interrupts were expected');
console.log(asked.finishReason, question.kind, confirmation.kind);

// `asked.messages` is plain JSON: it can be stored, and answered later or in another process.
const answered = await generate({
  model,
  tools,
  messages: asked.messages,
  resume: {
    respond: chooseAccount.respond(question, 'savings'),
    restart: transferMoney.restart(confirmation, { input: { toAccount: 'ABC123', amount: 150 } }),
  },
});
const results = answered.messages.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
console.log(answered.finishReason, answered.text);
console.log(results.map(({ toolResponse }) => toolResponse?.output));
