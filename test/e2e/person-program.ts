// A program for a real terminal: a person is asked with `hitl/terminal` about what `generate` stopped on.
import { defineTool, generate } from '../../src/index.js';
import { personAtTerminal } from '../../src/library/terminal.js';
import { scriptedModel } from '../../src/testing/index.js';

const pay = defineTool(
  {
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
    needsApproval: true,
  },
  (input) => `paid ${JSON.stringify(input)}`,
);
const model = scriptedModel([
  {
    tools: [
      { name: 'pay', input: { amount: 5 } },
      { name: 'pay', input: { amount: 70 } },
    ],
  },
  'Done.',
]);
const tools = [pay];
const asked = await generate({ model, tools, prompt: 'Pay' });
using person = personAtTerminal({ by: { type: 'person', name: 'ann', via: 'terminal' } });
const restart = await person.answersTo(asked.interrupts);
const done = await generate({ model, tools, messages: asked.messages, resume: { restart } });
const outputs = done.messages.flatMap(({ content }) =>
  content.flatMap((part) => part.toolResponse?.output ?? []),
);
process.stdout.write(`RESULT ${JSON.stringify([restart.map(({ by }) => by), outputs])}\n`);
