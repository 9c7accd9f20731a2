import type { WorkflowContext } from 'hitl';
import { workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

const Label = z.enum(['spam', 'fine']);

/** A model that knows by itself, but for 3 of 100: a pure function here, so it may be asked again after a crash. */
const classify = (item: number): z.infer<typeof Label> | 'unsure' =>
  item % 100 < 3 ? 'unsure' : item % 7 === 0 ? 'spam' : 'fine';

/** Where the report goes: a file, so that this runs without a database. */
const report = process.env['LABELS'] ?? 'labels.txt';

// Labels items by a model, a number of them at once, and asks a person about those of which it is not sure. One that
// waits for a person leaves its turn to the next: people answer in any order, while the rest is worked through.
export default workflow(
  'labels',
  { input: z.object({ items: z.number().int() }) },
  async (ctx, { items }) => {
    const label = (item: number) => async (at: WorkflowContext) => {
      const guess = await at.step('classify', () => classify(item), { of: item, effect: 'none' });
      if (guess !== 'unsure') return guess;
      return at.ask('label', { prompt: `What is item ${item}?`, schema: Label });
    };
    const branches = Array.from({ length: items }, (_, item) => [`item ${item}`, label(item)] as const);
    const labels = Object.values(await ctx.all('items', Object.fromEntries(branches), { limit: 50 }));
    const count = (wanted: string): number => labels.filter((given) => given === wanted).length;
    const line = `${items} items: ${count('spam')} spam, ${count('fine')} fine`;
    await ctx.step('report', () => appendFile(report, `${line}\n`));
    return line;
  },
);
