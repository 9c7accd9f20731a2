import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

/** A session whose payment was approved, and a worker that is at it when it is told to end. */
async function paying(home: Home, options: readonly string[]) {
  const [begun, paid] = [join(home.path, 'begun'), join(home.path, 'paid')];
  const tools = join(home.path, 'tools.mjs');
  writeFileSync(
    tools,
    `import { writeFileSync } from 'node:fs';
import { defineTool } from 'hitl';
const about = { name: 'pay', description: 'Pays.', needsApproval: true, effect: 'once' };
export default [defineTool(about, async () => {
  writeFileSync(${JSON.stringify(begun)}, '');
  await new Promise((resolve) => setTimeout(resolve, 4_500));
  writeFileSync(${JSON.stringify(paid)}, '');
  return 'paid';
})];
`,
  );
  const script = join(home.path, 'model.jsonl');
  writeFileSync(script, `${JSON.stringify({ tools: [{ name: 'pay', input: {} }] })}\n{"text":"Paid."}\n`);
  const model = ['--model', `script:${script}`, '--tools', tools, '--trust'];
  expect(await home.run(['chat', '-p', 'pay', ...model])).toMatchObject({ status: 3 });
  const { id } = home;
  await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
  const worker = new Running(home, ['worker', '--folder', home.path, ...model, ...options]);
  while (!existsSync(begun)) await passing(20);
  worker.signal('SIGTERM');
  const ended = await worker.ended;
  return { id, ended, isPaid: existsSync(paid), show: async () => (await home.run(['show', id])).stdout };
}

describe('R11: a worker that SIGTERM ends in the middle of a payment', () => {
  test('takes nothing more, lets it end, and leaves no doubt', async () => {
    using home = new Home();
    const { ended, isPaid, show } = await paying(home, []);
    expect([ended.status, isPaid]).toEqual([143, true]);
    expect(ended.stderr).toContain(
      'worker: it takes nothing more, and waits up to 30 s for what runs; a second signal ends that',
    );
    expect(await show()).toContain('Paid.');
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toEqual([]);
  });

  test('waits no longer than `--drain` says; what was begun is asked about then', async () => {
    using home = new Home();
    const { id, ended, isPaid } = await paying(home, ['--drain', '0']);
    expect([ended.status, isPaid]).toEqual([143, false]);
    expect(ended.stderr).not.toContain('takes nothing more');
    expect((await home.run(['resume', id, '--no-input', '--trust'])).status).toBe(3);
    expect(home.asked('i2', id)).toMatchObject({ kind: 'in-doubt' });
  });
});
