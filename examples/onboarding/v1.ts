import { workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

const log = process.env['ONBOARDING_LOG'] ?? 'onboarding.txt';
const tell = (line: string): Promise<void> => appendFile(log, `${line}\n`);

// The month of somebody new. `day` is how many milliseconds one is: a test has shorter days.
export default workflow(
  'onboarding',
  { input: z.object({ name: z.string(), day: z.number().default(86_400_000) }) },
  async (ctx, { name, day }) => {
    await ctx.step('account', () => tell(`account for ${name}`));
    const { signed } = await ctx.event('contract', { schema: z.object({ signed: z.boolean() }) });
    if (!signed) return `${name} does not come`;
    await ctx.step('laptop', () => tell(`laptop for ${name}`));
    await ctx.sleep('first week', 7 * day);
    await ctx.step('survey', () => tell(`survey to ${name}`));
    await ctx.sleep('the rest of the month', 21 * day);
    return `${name} is on board`;
  },
);
