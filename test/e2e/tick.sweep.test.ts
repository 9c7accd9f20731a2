import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { answers, defineTool, openChat, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

const MODEL = ['--model', 'demo'];

/** A workflow that asks, asks somebody else when nobody answers, and says no when they do not either. */
function nightly(home: Home, timeout: string, later = '1h'): string {
  const file = join(home.path, `night-${timeout}-${later}.yaml`);
  const escalate = `{ escalate: { to: lead, timeout: ${later}, onTimeout: { value: false } } }`;
  writeFileSync(
    file,
    `name: night
nodes:
  ok: { kind: human, prompt: healthy?, schema: { type: boolean }, timeout: ${timeout}, onTimeout: ${escalate} }
end: [ok]
`,
  );
  return file;
}

// Most of the time goes by in waiting for a limit: they wait beside each other.
describe.concurrent('time, where nobody ran anything', () => {
  test('asks somebody else by `hitl tick` alone', async () => {
    using home = new Home();
    expect((await home.run(['run', nightly(home, '1s'), '--trust', ...MODEL])).status).toBe(3);
    const { id } = home;
    const late = ['answer', id, '--interrupt', 'i1', 'true'];
    await passing(1_100);
    const first = await home.run(['tick']);
    expect(first).toMatchObject({ status: 0, stdout: `${id}  waiting(1)  night\n` });
    expect((await home.run(['inbox'])).stdout).toMatch(
      /i2 .*healthy\?, for lead, until (?:\d\d-\d\d )?\d\d:\d\d/u,
    ); // with the day where it is tomorrow
    expect((await home.run(late)).stderr).toContain(
      'interrupt `i1` was not answered in time; it was escalated to lead as `i2`',
    );
  });

  test('takes the value by `hitl tick` alone, where nobody else answers either', async () => {
    using home = new Home();
    expect((await home.run(['run', nightly(home, '1s', '1s'), '--trust', ...MODEL])).status).toBe(3);
    const { id } = home;
    await passing(1_100);
    expect((await home.run(['tick'])).status).toBe(0);
    await passing(1_100);
    const ticks = await Promise.all([home.run(['tick']), home.run(['tick']), home.run(['tick'])]);
    expect(ticks.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect((await home.run(['why', id, '--verbose'])).stdout).toContain(
      'answered {"output":false} by the clock',
    );
    const audit = await home.run(['audit', 'verify', id]);
    expect(audit).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 answer (1 timed out)') as string,
    });
    expect(await home.run(['tick'])).toMatchObject({ status: 0, stdout: '' });
  });

  test('asks somebody else in a chat and in code too, all by one `hitl tick`', async () => {
    using home = new Home();
    const file = (name: string, text: string): string => {
      writeFileSync(join(home.path, name), text);
      return join(home.path, name);
    };
    const time = `'1s', onTimeout: { escalate: { to: 'lead' } }`;
    const code = file(
      'night.mjs',
      `import { workflow } from 'hitl';
export default workflow('night', (ctx) =>
  ctx.ask('ok', { prompt: 'healthy?', schema: { type: 'boolean' }, timeout: ${time} }));`,
    );
    const tools = file(
      'tools.mjs',
      `import { defineTool } from 'hitl';
export default [defineTool({ name: 'pay', description: 'Pays.', needsApproval: true, deadline: { timeout: ${time} } }, () => 'paid')];`,
    );
    const script = file('model.jsonl', '{"tools":[{"name":"pay","input":{}}]}\n');
    // One after the other: two that write their trust at once lose an entry at most (T2 of `commands/trust/trust-store.ts`).
    const first = await home.run(['run', code, '--trust', ...MODEL]);
    const second = await home.run(['run', code, '--trust', ...MODEL]);
    const third = await home.run([
      'chat',
      '-p',
      'pay',
      '--tools',
      tools,
      '--trust',
      '--model',
      `script:${script}`,
    ]);
    expect([first.status, second.status, third.status]).toEqual([3, 3, 3]);
    await passing(1_100);
    const { status, stdout } = await home.run(['tick']);
    expect([status, stdout.match(/waiting\(1\)/gu)?.length]).toEqual([0, 3]);
    const inbox = await home.run(['inbox']);
    expect(inbox.stdout.match(/^i2 .*for lead/gmu)).toHaveLength(3);
  });

  test('is kept by an answer that comes later, which is refused', async () => {
    using home = new Home();
    await home.run(['run', nightly(home, '1s'), '--trust', ...MODEL]);
    await passing(1_100);
    const answered = await home.run(['answer', home.id, 'true', '--digest', home.digest()]);
    expect(answered.status).toBe(2);
    expect(answered.stderr).toContain(
      'interrupt `i1` was not answered in time; it was escalated to lead as `i2`',
    );
  });

  test('goes on with the others where one session is broken, and leaves those that are not due', async () => {
    using home = new Home();
    await home.run(['run', nightly(home, '1h'), '--trust', ...MODEL]);
    const waits = home.id;
    const broken = nightly(home, '1s');
    await home.run(['run', broken, '--trust', ...MODEL]);
    await home.run(['run', nightly(home, '2s'), '--trust', ...MODEL]);
    writeFileSync(broken, 'name: night\nnodes: {}\n');
    await passing(2_100);
    const { status, stdout } = await home.run(['tick', '--json']);
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { session: string; result: string });
    expect(told.map(({ result }) => result).sort()).toEqual(['failed', 'went-on']);
    expect(told.some(({ session }) => session === waits)).toBe(false);
    expect(status).toBe(2);
  });

  test('is waited for with `--wait`', async () => {
    using home = new Home();
    const { status, stderr } = await home.run([
      'run',
      nightly(home, '1s', '1s'),
      '--wait',
      '--trust',
      ...MODEL,
    ]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/waiting for 1 answer until (?:\d\d-\d\d )?\d\d:\d\d, in 1 s/u);
    expect(stderr).toContain('escalated to lead (i2)');
    expect(stderr).toContain('timed out: answered');
  });

  test('goes on by `hitl worker` as it comes: what was answered, and what nobody answered in time', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123', ...MODEL]);
    const { id } = home;
    await home.run(['run', nightly(home, '1s'), '--trust', ...MODEL]);
    const night = home.ids().find((other) => other !== id) ?? '';
    await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
    const worker = new Running(home, ['worker', '--slots', '2', '--folder', home.path, '--trust', ...MODEL]);
    await worker.until(`${id}  rests\n`);
    expect(home.transfers(id)).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
    await worker.until(`${night}  rests\n`);
    expect((await home.run(['inbox'])).stdout).toMatch(/i2 .*for lead/u);
    worker.signal('SIGTERM');
    expect((await worker.ended).status).toBe(143);
  });

  test('goes on by no worker where a program began the chat: its approval would be spent on no tool', async () => {
    using home = new Home();
    const store = openStore(home.sessions);
    const pay = defineTool({ name: 'pay', description: 'Pays.', needsApproval: true }, () => 'paid');
    const model = scriptedModel([{ tools: [{ name: 'pay', input: {} }] }]);
    const chat = await openChat({ store, id: 'api-payer-1', model, tools: [pay] });
    await chat.say('Pay');
    const [question] = chat.open;
    await chat.close();
    await store.post(chat.id, answers.restart(question!));
    const worker = new Running(home, ['worker', ...MODEL]);
    await worker.until('api-payer-1 skipped: its tools belong to another program');
    worker.signal('SIGTERM');
    await worker.ended;
    await using session = await store.open(chat.id, 'read');
    expect(session.state.open?.calls[0]?.state.status).toBe('ready');
  });
});
