import * as z from 'zod/mini';

import type { Clock, Tool } from '../../../src/core/index.js';
import { defineTool } from '../../../src/tools/index.js';

import type { Ledger } from './ledger.js';
import { openLedger } from './ledger.js';

/** Amount above which a person must confirm a transfer. */
const CONFIRM_ABOVE = 100;
const ORIGIN = 'bank example';

export interface BankOptions {
  /** File that stores the transfers, one JSON object per line. Default: in memory. */
  readonly ledgerFile?: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Balance before any transfer. Default: 1000. */
  readonly startBalance?: number;
}

/**
 * Creates the tools of the bank example from Genkit's documentation. `transfer_money` asks if the balance is
 * too low or the amount is above 100; `get_balance` never asks.
 */
export function bankTools({ ledgerFile, clock, startBalance = 1000 }: BankOptions): readonly Tool[] {
  const bank = { ledger: openLedger(ledgerFile), clock, startBalance };
  return [transferMoney(bank), getBalance(bank)];
}

interface Bank {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly startBalance: number;
}

async function balanceOf({ ledger, startBalance }: Bank): Promise<number> {
  const moved = (await ledger.transfers()).reduce((sum, { amount }) => sum + amount, 0);
  return inCents(startBalance - moved);
}

function inCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function transferMoney(bank: Bank) {
  return defineTool(
    {
      name: 'transfer_money',
      description: 'Transfers money from the user’s account to another account.',
      input: z.object({
        toAccount: z.string().check(z.minLength(1), z.describe('the account that receives the money')),
        amount: z.number().check(z.positive(), z.describe('in US dollars')),
      }),
      output: z.object({ transferred: z.number(), toAccount: z.string(), balance: z.number() }),
      interrupt: z.object({
        reason: z.enum(['not enough money', 'transfers above 100']),
        balance: z.number(),
        amount: z.number(),
        toAccount: z.string(),
      }),
      title: ({ toAccount, amount }) => `Transfer ${amount} to ${toAccount}`,
      effect: 'once',
      origin: ORIGIN,
    },
    ({ toAccount, amount }, context) =>
      bank.ledger.exclusively(async () => {
        const balance = await balanceOf(bank);
        // A yes brings no money: only another amount can run, and it is asked again for as long as there is too little.
        if (amount > balance) {
          const asked = { reason: 'not enough money', balance, amount, toAccount } as const;
          return context.interrupt(asked, { allowed: ['edit', 'reject'] });
        }
        if (amount > CONFIRM_ABOVE && context.resumed === undefined) {
          return context.interrupt({ reason: 'transfers above 100', balance, amount, toAccount });
        }
        context.signal.throwIfAborted();
        const at = new Date(bank.clock.now()).toISOString();
        await bank.ledger.append({ key: context.idempotencyKey, toAccount, amount, at });
        return { transferred: amount, toAccount, balance: inCents(balance - amount) };
      }),
  );
}

function getBalance(bank: Bank) {
  return defineTool(
    {
      name: 'get_balance',
      description: 'Returns the balance of the user’s account, in US dollars.',
      output: z.object({ balance: z.number() }),
      effect: 'none',
      origin: ORIGIN,
    },
    async () => ({ balance: await balanceOf(bank) }),
  );
}
