import * as z from 'zod';

import type { ToolContext, ToolSet } from '../../src/core/index.js';
import { defineInterrupt, defineTool, toolSet } from '../../src/tools/index.js';

/** Changes the world, or dies before or after it does. */
export type Act = (tool: string, input: { readonly amount: number }, context: Place) => Promise<void>;

type Place = Pick<ToolContext, 'ref' | 'attempt'>;

const input = z.object({ amount: z.number().min(1) });
const output = z.string();

/** One tool of each kind: approved by a gate, asking by itself, idempotent, without effect, only asking, failing. */
export function fuzzTools(act: Act): ToolSet {
  return toolSet([
    defineTool(
      { name: 'pay', description: 'Needs approval.', input, output, needsApproval: true },
      async (given, context) => {
        await act('pay', given, context);
        return `paid ${given.amount}`;
      },
    ),
    defineTool({ name: 'send', description: 'Asks by itself.', input, output }, async (given, context) => {
      if (context.resumed === undefined) return context.interrupt({ confirm: given.amount });
      await act('send', given, context);
      return `sent ${given.amount}`;
    }),
    defineTool(
      { name: 'note', description: 'May run again.', input, output, effect: 'idempotent' },
      async (given, context) => {
        await act('note', given, context);
        return `noted ${given.amount}`;
      },
    ),
    defineTool(
      { name: 'look', description: 'Has no effect.', input, output, effect: 'none' },
      async ({ amount }) => {
        await Promise.resolve();
        return `saw ${amount}`;
      },
    ),
    defineTool({ name: 'broken', description: 'Throws.', input, output, effect: 'none' }, () => {
      throw new Error('it broke');
    }),
    defineInterrupt({ name: 'ask', description: 'Asks the person.', input, output }),
  ]);
}
