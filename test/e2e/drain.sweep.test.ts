import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, test, vi } from 'vitest';

import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

/** The flags of an agent that pays, for a while: a file says that it has begun, another that it has paid. */
function payingAgent(home: Home) {
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
  const begins = async (): Promise<void> => {
    while (!existsSync(begun)) await passing(20);
  };
  const flags = ['--model', `script:${script}`, '--tools', tools, '--trust'];
  return { flags, begins, isPaid: () => existsSync(paid) };
}

/** A session whose payment was approved, and a worker that is at it when it is told to end. */
async function paying(home: Home, options: readonly string[]) {
  const { flags, begins, isPaid } = payingAgent(home);
  expect(await home.run(['chat', '-p', 'pay', ...flags])).toMatchObject({ status: 3 });
  const { id } = home;
  await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
  const worker = new Running(home, ['worker', '--folder', home.path, ...flags, ...options]);
  await begins();
  worker.signal('SIGTERM');
  const ended = await worker.ended;
  return { id, ended, isPaid: isPaid(), show: async () => (await home.run(['show', id])).stdout };
}

/** A server whose agent had a payment approved, and which is told to end while it pays. */
async function serving(home: Home, options: readonly string[]) {
  const { flags, begins, isPaid } = payingAgent(home);
  const given = ['--port', '0', '--agent', 'payer', ...flags, ...options];
  const server = new Running(home, ['serve', ...given]);
  await server.until('Ctrl-C stops');
  const { port, searchParams } = new URL(server.stdout.trim());
  const post = (path: string, given: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${searchParams.get('token') ?? ''}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(given),
    });
  const begin = () => post('/v1/sessions', { text: 'pay' });
  const { id } = (await (await begin()).json()) as { readonly id: string };
  await vi.waitFor(async () => {
    expect((await home.run(['list', '--json'])).stdout).toContain('"status": "waiting"'); // nobody has it
  }, 20_000);
  const yes = { interrupt: 'i1', digest: home.asked('i1', id).digest, answer: { action: 'restart' } };
  expect(await post(`/v1/sessions/${id}/answers`, yes)).toMatchObject({ ok: true });
  await begins();
  server.signal('SIGTERM');
  return { server, id, begin, isPaid };
}

describe('R11: a worker that SIGTERM ends in the middle of a payment', () => {
  test('takes nothing more, lets it end, and leaves no doubt', async () => {
    using home = new Home();
    const { ended, isPaid, show } = await paying(home, []);
    expect([ended.status, isPaid]).toEqual([143, true]);
    expect(ended.stderr).toContain(
      'worker: stopping; waiting up to 30 s for running sessions (signal again to stop now)',
    );
    expect(await show()).toContain('Paid.');
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toEqual([]);
  });

  test('waits no longer than `--drain` says; what was begun is asked about then', async () => {
    using home = new Home();
    const { id, ended, isPaid } = await paying(home, ['--drain', '0']);
    expect([ended.status, isPaid]).toEqual([143, false]);
    expect(ended.stderr).not.toContain('worker: stopping');
    expect((await home.run(['resume', id, '--no-input', '--trust'])).status).toBe(3);
    expect(home.asked('i2', id)).toMatchObject({ kind: 'in-doubt' });
  });
});

describe('R11: a server whose agent pays when SIGTERM ends it', () => {
  test('begins nothing more, lets it end, and leaves no doubt', async () => {
    using home = new Home();
    const { server, id, begin, isPaid } = await serving(home, []);
    await server.until('serve: stopping');
    const late = await begin();
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
    const { status, stderr } = await server.ended;
    expect([status, isPaid()]).toEqual([0, true]);
    expect(stderr).toContain(
      'serve: stopping; waiting up to 30 s for running sessions (signal again to stop now)',
    );
    expect((await home.run(['show', id])).stdout).toContain('Paid.');
  });

  test('waits no longer than `--drain` says; what was begun is asked about then', async () => {
    using home = new Home();
    const { server, id, isPaid } = await serving(home, ['--drain', '0']);
    const { stderr } = await server.ended;
    expect(isPaid()).toBe(false);
    expect(stderr).not.toContain('serve: stopping');
    expect((await home.run(['resume', id, '--no-input', '--trust'])).status).toBe(3);
    expect(home.asked('i2', id)).toMatchObject({ kind: 'in-doubt' });
  });

  test('has no `--drain` without an agent', async () => {
    using home = new Home();
    expect(await home.run(['serve', '--drain', '5s'])).toMatchObject({
      status: 2,
      stderr: 'error: --drain requires --agent\nhint: see `hitl --help`\n',
    });
  });
});
