import { workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

const log = process.env['ONBOARDING_LOG'] ?? 'onboarding.txt';
const tell = (line: string): Promise<void> => appendFile(log, `${line}\n`);

// No video any more, and a mentor talks to whoever is new in the place of the survey. Runs of older code go on when a
// person has moved them (`hitl migrate`), and keep what they have done.
export default workflow(
  'onboarding',
  { version: 2, input: z.object({ name: z.string(), day: z.number().default(86_400_000) }) },
  async (ctx, { name, day }) => {
    await ctx.step('account', () => tell(`account for ${name}`));
    const { signed } = await ctx.event('contract', { schema: z.object({ signed: z.boolean() }) });
    if (!signed) return `${name} does not come`;
    await ctx.step('laptop', () => tell(`laptop for ${name}`));
    await ctx.sleep('first week', 7 * day);
    const isWell = await ctx.ask('talk', { prompt: `Is ${name} well?`, schema: z.boolean() });
    if (!isWell) await ctx.step('help', () => tell(`help for ${name}`));
    await ctx.sleep('the rest of the month', 21 * day);
    await ctx.step('badge', () => tell(`badge for ${name}`));
    return `${name} is on board`;
  },
);
