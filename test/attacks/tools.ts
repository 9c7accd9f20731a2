// Tools for the attacked program that keep a ledger: what they did is seen there and not on the screen.
import type { World } from './world.js';
import { jsonLines } from './json.js';

const LEDGER = 'ledger.jsonl';

/** Writes a module with tools and returns its path; `append(line)` of it writes to the ledger. */
export function ledgerModule(world: World, body: string, name = 'tools.mjs'): string {
  return world.write(
    name,
    `import fs from 'node:fs';
const append = (line) => fs.appendFileSync(${JSON.stringify(world.path(LEDGER))}, JSON.stringify(line) + '\\n');
${body}`,
  );
}

/** What tools wrote to the ledger, in order. */
export function ledgerOf(world: World): readonly unknown[] {
  return jsonLines(world.read(LEDGER));
}

/** Source of a tool `pay { to, amount }` that asks before it runs, and writes what it paid to the ledger. */
export const PAY = `export const pay = {
  name: 'pay',
  description: 'Pays.',
  input: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'number' } },
    required: ['to', 'amount'],
    additionalProperties: false,
  },
  effect: 'once',
  needsApproval: true,
  execute: async ({ to, amount }) => (append({ to, amount }), { paid: amount }),
};
`;

/** Source of the same tool where its own body asks. */
export const PAY_ASKING_INSIDE = PAY.replace('needsApproval: true,', '').replace(
  'execute: async ({ to, amount }) =>',
  'execute: async ({ to, amount }, context) => context.resumed === undefined ? context.interrupt({ confirm: amount, to }) :',
);

/** Source of a tool `sh` that takes any object, asks, and writes its input to the ledger. */
export const SH =
  "export const sh = { name: 'sh', description: 'Runs.', input: { type: 'object' }, effect: 'once', needsApproval: true, execute: async (input) => (append(input), 'did') };\n";

/** What ends a text of the model. */
const END = 'so it ends';

/** What stands on a terminal of 80x24 when the model has said this. */
export async function modelSays(world: World, text: string): Promise<readonly string[]> {
  const screen = world.terminal(['chat', 'go', '-m', world.script({ text: `${text}\n\n${END}` })], {
    cols: 80,
    rows: 24,
  });
  // The line of the prompt is there all the time: only its own end says that the text is whole.
  await screen.until(END, 6_000);
  return screen.shown.split('\n');
}
