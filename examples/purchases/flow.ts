import type { WorkflowContext } from 'hitl';
import { defineInterrupt, defineTool, toolSet, workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

/** What was bought and published: a file, so that this runs without a shop. */
const log = process.env['PURCHASES'] ?? 'purchases.txt';

const buy = defineTool(
  {
    name: 'buy',
    description: 'Buys a thing.',
    input: z.object({ thing: z.string(), price: z.number() }),
    needsApproval: true,
  },
  async ({ thing, price }) => {
    await appendFile(log, `bought ${thing} for ${price}\n`);
    return 'bought';
  },
);

const askTeam = defineInterrupt({
  name: 'ask_team',
  description: 'Asks the team which kind of a thing it wants.',
  input: z.object({ thing: z.string() }),
  output: z.string(),
});

const tools = toolSet([buy, askTeam]);
const system =
  'You get one thing for the office. Ask the team if you do not know which, buy what is not in store.';

// An agent for each thing, all at once: what some of them ask stays open while the others finish, and is answered in any
// order. The list is published when all are done.
export default workflow('purchases', { input: z.array(z.string()) }, async (ctx, things) => {
  const get = (thing: string) => (at: WorkflowContext) =>
    at.agent('get', { prompt: `Get: ${thing}`, system, tools });
  const ends = await ctx.all('things', Object.fromEntries(things.map((thing) => [thing, get(thing)])));
  const list = Object.entries(ends).map(([thing, end]) => `${thing}: ${end}`);
  await ctx.step('publish', () => appendFile(log, `published ${list.length} things\n`));
  return list.join('\n');
});
