// A form of several steps, as code: each answer is checked by its schema, and the next step depends on it.
import { answers, openFlow, workflow } from 'hitl';
import * as z from 'zod';

const booking = workflow('booking', async (ctx) => {
  const nights = await ctx.ask('nights', { prompt: 'How many nights?', schema: z.int().min(1) });
  if (nights > 7) await ctx.ask('manager', { prompt: 'Who agreed to a long stay?', schema: z.string() });
  const room = await ctx.ask('room', { prompt: 'Which room?', schema: z.enum(['small', 'large']) });
  return { nights, room };
});

const given = [10, 'the manager', 'large'];
await using flow = await openFlow(booking);
await flow.start();
for (const value of given) {
  for (const question of flow.open) await flow.answer(answers.respond(question, value));
}
console.log(flow.state['booking']);
