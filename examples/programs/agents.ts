// Agents that call each other: what the inner one asks is answered at the outside, by the tool that asked.
import { answers, defineTool, graph, openFlow, toolSet } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const book = defineTool(
  { name: 'book', description: 'Books.', input: z.object({ flight: z.string() }), needsApproval: true },
  ({ flight }) => `booked ${flight}`,
);
const travel = {
  description: 'Books travel.',
  tools: toolSet([book]),
  model: scriptedModel([{ tools: [{ name: 'book', input: { flight: 'LH1' } }] }, 'LH1 is booked.']),
};
const trip = graph('trip')
  .agent('plan', {
    model: scriptedModel([
      { tools: [{ name: 'travel', input: { request: 'Berlin' } }] },
      'You fly with LH1.',
    ]),
    agents: { travel },
    prompt: () => 'Get me to Berlin',
  })
  .end('plan')
  .build();

await using flow = await openFlow(trip);
await flow.start();
for (const question of flow.open) await flow.answer(answers.restart(question));
console.log(flow.state['plan']);
