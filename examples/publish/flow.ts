import { appendFile } from 'node:fs/promises';
import { defineTool, graph, toolSet } from 'hitl';
import * as z from 'zod';

/** Reads a price list that costs money to ask, so a person agrees first. */
const lookUpPrice = defineTool(
  {
    name: 'look_up_price',
    description: 'Looks up the price of a product. Each look-up is billed.',
    input: z.object({ product: z.string() }),
    effect: 'idempotent',
    needsApproval: true,
  },
  ({ product }) => ({ product, price: product.length * 10 }),
);

/** A value of the state as text. */
const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise);

/** Where notes are published: a file, so that this runs without a server. */
const outbox = process.env['PUBLISH_TO'] ?? 'published.txt';

// draft → review → publish: an agent whose tool needs approval, a person who decides, and an effect that happens once.
export default graph('publish')
  .agent('draft', {
    system: 'You write short, friendly notes to customers. Look prices up; never guess them.',
    tools: toolSet([lookUpPrice]),
    prompt: (state) => `Write a note: ${text(state['input'], 'our new price')}`,
  })
  .human('review', {
    question: (state) => ({
      prompt: 'Publish this note?',
      payload: { draft: state['draft'] ?? '' },
      schema: { enum: ['publish', 'again', 'drop'] },
    }),
  })
  .fn(
    'publish',
    async (state, { idempotencyKey }) => {
      await appendFile(outbox, `${JSON.stringify({ key: idempotencyKey, note: state['draft'] ?? '' })}\n`);
      return { output: `published: ${text(state['draft'])}` };
    },
    { gate: { before: true, prompt: 'The note goes out to customers now.' } },
  )
  .fn('drop', () => ({ output: 'nothing was published' }), { effect: 'none' })
  .edge('draft', 'review')
  .edge('review', 'publish', { when: "state.review == 'publish'" })
  .edge('review', 'draft', { when: "state.review == 'again'" })
  .edge('review', 'drop', { priority: 0 })
  .end('publish', 'drop')
  .build();
