import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Home } from './program.js';

/** A module with one tool that pays, `{ to, amount }`: it keeps a ledger, and waits after paying while `wait` is there. */
export interface PayModule {
  readonly module: string;
  /** What was paid, in order. */
  paid(): readonly unknown[];
}

/** Writes the module into a home; `members` are further members of the tool, as source text. */
export function payModule(home: Home, { members = '' }: { readonly members?: string } = {}): PayModule {
  const module = join(home.path, 'pay.mjs');
  const ledger = join(home.path, 'paid.jsonl');
  writeFileSync(
    module,
    `import { appendFileSync } from 'node:fs';
export const pay = {
  name: 'pay',
  description: 'Pays an amount to somebody.',
  input: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'number' } },
    required: ['to', 'amount'],
    additionalProperties: false,
  },
  effect: 'once',
  ${members}
  async execute({ to, amount }) {
    if (process.env.PAY === 'hang-before') {
      process.stderr.write('PAYING\\n');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    }
    appendFileSync(${JSON.stringify(ledger)}, JSON.stringify({ to, amount }) + '\\n');
    if (process.env.PAY === 'hang-after') {
      process.stderr.write('PAID\\n');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    }
    return { paid: amount, to };
  },
};
`,
  );
  return {
    module,
    paid() {
      if (!existsSync(ledger)) return [];
      const lines = readFileSync(ledger, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as unknown);
    },
  };
}

/** Writes a script of model replies into a home and returns the model's name. */
export function scriptModel(home: Home, replies: readonly object[]): string {
  const file = join(home.path, 'script.jsonl');
  writeFileSync(file, replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''));
  return `script:${file}`;
}
