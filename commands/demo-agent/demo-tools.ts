import type { Tool } from '../../src/core/index.js';
import type { BankOptions } from './bank/bank-tools.js';
import { bankTools } from './bank/bank-tools.js';
import * as z from 'zod/mini';
import { defineTool } from '../../src/tools/index.js';

/**
 * Creates a tool that fails on the first call and works from then on, to demonstrate a failing tool without a
 * network.
 */
export function weatherTool(): Tool {
  let failed = false;
  return defineTool(
    {
      name: 'get_weather',
      description: 'Returns the weather for a city (made-up demo data).',
      input: z.object({ city: z.string().check(z.minLength(1)) }),
      output: z.object({ city: z.string(), sky: z.string(), celsius: z.number() }),
      effect: 'none',
      origin: 'demo',
    },
    ({ city }, { attempt }) => {
      if (attempt === 1 && !failed) {
        failed = true;
        throw new Error('the weather service did not answer; try again');
      }
      return { city, sky: 'sunny', celsius: 21 };
    },
  );
}

/** The tools offered only to the demo model: a bank and the weather. */
export function demoTools(options: BankOptions): readonly Tool[] {
  return [...bankTools(options), weatherTool()];
}
