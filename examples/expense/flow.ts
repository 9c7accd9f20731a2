import { workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

/** What was paid: a file, so that this runs without a bank. */
const ledger = (): string => process.env['LEDGER'] ?? 'ledger.txt';

const Expense = z.object({ what: z.string(), amount: z.number(), manager: z.string() });
const Decision = z.object({ ok: z.boolean().optional(), passTo: z.string().optional() });

// The manager decides, or passes the decision on. From 1000 on two of finance must agree, one of whom can refuse it
// alone, and if they do not within two days, one of the board. Whoever asks for the money decides nothing, wherever it
// comes to.
export default workflow(
  'expense',
  { input: Expense, operations: ['pay'] },
  async (ctx, { what, amount, manager }) => {
    const prompt = `Pay ${amount} for ${what}?`;
    let decider: string | undefined = manager;
    while (decider !== undefined) {
      const { ok, passTo }: z.infer<typeof Decision> = await ctx.ask('decide', {
        prompt,
        schema: Decision,
        approvers: { from: [decider], notRequester: true },
      });
      if (ok !== true && passTo === undefined) return `${decider} refused ${what}`;
      decider = passTo;
    }
    if (amount >= 1000) {
      const agreed = await ctx.ask('release', {
        prompt,
        schema: z.enum(['pay', 'refuse']),
        approvers: { need: 2, from: ['@finance'], notRequester: true, veto: 'refuse' },
        timeout: '2d',
        onTimeout: {
          escalate: { to: 'the board', timeout: '5d', approvers: { need: 1, from: ['@board'] } },
        },
      });
      if (agreed === 'refuse') return `${what} was refused`;
    }
    const payment = `${amount} for ${what}`;
    await ctx.step('pay', () => appendFile(ledger(), `paid ${payment}\n`), { of: payment });
    return `paid ${payment}`;
  },
);
