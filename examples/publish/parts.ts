import { appendFile } from 'node:fs/promises';
import type { JsonValue, NodeContext, NodeResult } from 'hitl';
import { defineTool } from 'hitl';
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

/** Where notes are published: a file, so that this runs without a server. */
const outbox = process.env['PUBLISH_TO'] ?? 'published.txt';

type State = Readonly<Record<string, JsonValue>>;

/** A value of the state as text. */
export const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

export const tools = [lookUpPrice];

export const functions = {
  /** The effect that must happen once: the key says so to whoever takes the note. */
  publish: async ({ draft = '' }: State, { idempotencyKey }: NodeContext): Promise<NodeResult> => {
    await appendFile(outbox, `${JSON.stringify({ key: idempotencyKey, note: draft })}\n`);
    return { output: `published: ${text(draft)}` };
  },
  drop: (): NodeResult => ({ output: 'nothing was published' }),
};
