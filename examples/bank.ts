// A bank as a tool module. Try it without a network:
//
//     hitl chat --model demo --tools examples/bank.ts 'Transfer 200 to ABC123'
//
// Transfers are lines of $BANK_LEDGER (default: bank-ledger.jsonl), so the balance outlives the process.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

import { defineTool } from 'hitl';
import * as z from 'zod';

const START_BALANCE = 1000;
const CONFIRM_ABOVE = 100;

const Line = z.object({ key: z.string(), toAccount: z.string(), amount: z.number(), at: z.string() });

function ledgerFile(): string {
  return process.env['BANK_LEDGER'] ?? 'bank-ledger.jsonl';
}

function balance(): number {
  const text = existsSync(ledgerFile()) ? readFileSync(ledgerFile(), 'utf8') : '';
  const lines = text.split('\n').filter((line) => line !== '');
  const moved = lines.reduce((sum, line) => sum + Line.parse(JSON.parse(line)).amount, 0);
  return Math.round((START_BALANCE - moved) * 100) / 100;
}

export const getBalance = defineTool(
  {
    name: 'get_balance',
    description: 'Tells how much money is in the account, in US dollars.',
    output: z.object({ balance: z.number() }),
    effect: 'none', // after a crash it runs again without a question
  },
  () => ({ balance: balance() }),
);

export const transferMoney = defineTool(
  {
    name: 'transfer_money',
    description: 'Transfers money from the account to another one.',
    input: z.object({
      toAccount: z.string().min(1),
      amount: z.number().positive().describe('in US dollars'),
    }),
    output: z.object({ transferred: z.number(), toAccount: z.string(), balance: z.number() }),
    // What `context.interrupt` takes: the compiler checks it, and so does the tool.
    interrupt: z.object({
      reason: z.enum(['not enough money', 'transfers above 100']),
      balance: z.number(),
      amount: z.number(),
      toAccount: z.string(),
    }),
    effect: 'once', // after a crash in the middle a person is asked whether it happened
  },
  ({ toAccount, amount }, context) => {
    const before = balance();
    // A yes brings no money: the person may enter a smaller amount, and the tool then runs again with that.
    if (amount > before) {
      const asked = { reason: 'not enough money', balance: before, amount, toAccount } as const;
      return context.interrupt(asked, { allowed: ['edit', 'reject'] });
    }
    // `resumed` is there once a person has agreed.
    if (amount > CONFIRM_ABOVE && context.resumed === undefined) {
      return context.interrupt({ reason: 'transfers above 100', balance: before, amount, toAccount });
    }
    const line = { key: context.idempotencyKey, toAccount, amount, at: new Date().toISOString() };
    appendFileSync(ledgerFile(), `${JSON.stringify(line)}\n`);
    return { transferred: amount, toAccount, balance: balance() };
  },
);
