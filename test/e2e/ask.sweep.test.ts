import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, PROGRAM, ranBy } from '../helpers/program.js';

/** Starts an asker that waits, and returns its question. */
async function asker(home: Home, args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'ask', ...args], {
    env: home.env,
    cwd: home.work,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = ranBy(child);
  const before = home.ids();
  const added = () => home.ids().filter((id) => !before.includes(id));
  await expect.poll(() => added().flatMap((id) => asked(home, id)), { timeout: 60_000 }).toHaveLength(1);
  return { child, ended, id: added()[0] ?? '' };
}

function asked(home: Home, id: string): readonly string[] {
  try {
    return [home.digest('i1', id)];
  } catch {
    return []; // not asked yet
  }
}

const ask = (home: Home, ...args: readonly string[]) => home.run(['ask', ...args], { cwd: home.work });

/** Asks without waiting; returns the id. */
async function detached(home: Home, ...args: readonly string[]): Promise<string> {
  const { status, stdout } = await ask(home, ...args, '--detach', '--quiet');
  expect({ status, stdout }).toEqual({ status: 3, stdout: expect.stringMatching(/^ask-[a-z0-9]{12}\n$/u) });
  return stdout.trim();
}

const by = { by: expect.any(String), at: expect.any(String), digest: expect.any(String) };

describe('hitl ask', () => {
  test.for<{
    kind: string;
    args: readonly string[];
    answer: readonly string[];
    printed: string;
    status: number;
    outcome: object;
  }>([
    {
      kind: 'an approval',
      args: ['Deploy 2.1 to eu?', '--facts', 'host=web-1'],
      answer: ['y'],
      printed: 'approved\n',
      status: 0,
      outcome: { status: 'approved' },
    },
    {
      kind: 'a rejected approval',
      args: ['Deploy 2.1 to eu?', '--yes-no'],
      answer: ['n', 'not on a Friday'],
      printed: 'rejected\n',
      status: 9,
      outcome: { status: 'rejected', reason: 'not on a Friday' },
    },
    {
      kind: 'a choice',
      args: ['Which region?', '--choices', 'eu, us'],
      answer: ['us'],
      printed: 'us\n',
      status: 0,
      outcome: { status: 'answered', answer: 'us' },
    },
    {
      kind: 'a cancelled choice',
      args: ['Which region?', '--choices', 'eu,us'],
      answer: ['/cancel'],
      printed: 'rejected\n',
      status: 9,
      outcome: { status: 'rejected' },
    },
    {
      kind: 'a text',
      args: ['Release notes?', '--text'],
      answer: ['faster, and "smaller" \\n'],
      printed: 'faster, and "smaller" \\n\n',
      status: 0,
      outcome: { status: 'answered', answer: 'faster, and "smaller" \\n' },
    },
    {
      kind: 'a form',
      args: ['Where to?', '--form', 'form.json'],
      answer: ['{"region":"eu","count":2}'],
      printed: '{"region":"eu","count":2}\n',
      status: 0,
      outcome: { status: 'answered', answer: { region: 'eu', count: 2 } },
    },
  ])('prints the outcome of $kind, as text and as JSON', async (row) => {
    using home = new Home();
    const form = {
      type: 'object',
      properties: { region: { type: 'string', enum: ['eu', 'us'] }, count: { type: 'integer', minimum: 1 } },
      required: ['region'],
    };
    writeFileSync(join(home.work, 'form.json'), JSON.stringify(form));
    const id = await detached(home, ...row.args);
    const digest = ['--digest', home.digest('i1', id)];
    const answered = await home.run(['answer', id, ...row.answer, ...digest]);
    expect(answered).toMatchObject({ status: 0, stdout: '' });
    const { status, stdout } = await ask(home, '--id', id);
    expect({ status, stdout }).toEqual({ status: row.status, stdout: row.printed });
    const asJson = await ask(home, '--id', id, '--json');
    expect(asJson.status).toBe(row.status);
    expect(JSON.parse(asJson.stdout)).toEqual({ id, ...by, ...row.outcome });
  });

  test('asked again under its key it is the same question, whose approval is printed once', async () => {
    using home = new Home();
    const deploy = ['Deploy?', '--key', 'deploy-2.1'];
    const id = await detached(home, ...deploy);
    expect(await detached(home, ...deploy)).toBe(id);
    expect(await ask(home, 'Delete?', '--key', 'deploy-2.1', '--detach')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the key `deploy-2.1` belongs to a different question'),
    });
    await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
    expect(await ask(home, ...deploy)).toMatchObject({ status: 0, stdout: 'approved\n' });
    expect(await ask(home, ...deploy)).toEqual({
      status: 2,
      stdout: '',
      stderr: `error: the approval of ${id} was already printed and is valid only once\nhint: ask with another --key for another approval; hitl ask --id ${id} shows this one\n`,
    });
    expect(await ask(home, '--id', id)).toMatchObject({ status: 0, stdout: 'approved\n' });
    expect(home.ids()).toEqual([id]);
  });

  test('an asker that is killed while it waits finds its question and the answer under its key', async () => {
    using home = new Home();
    const deploy = ['Deploy?', '--key', 'd'];
    const { child, ended, id } = await asker(home, deploy);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ status: 137, stdout: '' });
    await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
    expect(await ask(home, ...deploy)).toMatchObject({ status: 0, stdout: 'approved\n' });
    expect(home.ids()).toEqual([id]);
  });

  test('an asker that waits prints the answer when it comes, and Ctrl-C leaves the question open', async () => {
    using home = new Home();
    const first = await asker(home, ['Which?', '--choices', 'eu,us', '--quiet']);
    await home.run(['answer', first.id, 'eu']);
    expect(await first.ended).toEqual({ status: 0, stdout: 'eu\n', stderr: '' });
    const second = await asker(home, ['Which?', '--choices', 'eu,us']);
    second.child.kill('SIGINT');
    const { status, stdout, stderr } = await second.ended;
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
    expect(stderr).toContain(`The question stays open: ${second.id}\nhint: hitl ask --id ${second.id}\n`);
    expect((await home.run(['inbox', '--json'])).stdout).toContain(second.id);
  });

  test('two askers with one key at once have one question, and one of them the approval', async () => {
    using home = new Home();
    const words = ['ask', 'Deploy?', '--key', 'd', '--json'];
    const both = [0, 1].map(() => home.runAlone(words, { cwd: home.work }));
    await expect.poll(() => home.ids().flatMap((id) => asked(home, id)), { timeout: 60_000 }).toHaveLength(1);
    const { id } = home;
    await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
    const ended = await Promise.all(both);
    expect(ended.map(({ status }) => status).sort()).toEqual([0, 2]);
    expect(home.ids()).toEqual([id]);
  });

  test('`hitl resume` takes the answer of a question, like that of any session', async () => {
    using home = new Home();
    const id = await detached(home, 'Deploy?', '--key', 'd');
    const { status, stderr } = await home.run(['resume', id], { cwd: home.work, input: 'y\n' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('Deploy?') });
    expect(await ask(home, 'Deploy?', '--key', 'd')).toMatchObject({ status: 0, stdout: 'approved\n' });
  });

  test('time rejects a question, and approves nothing', async () => {
    using home = new Home();
    const rejected = await ask(home, 'Deploy?', '--timeout', '1s', '--on-timeout', 'reject');
    expect(rejected).toMatchObject({
      status: 9,
      stdout: 'rejected\n',
      stderr: expect.stringContaining('nobody answered in time'),
    });
    expect(await ask(home, 'Deploy?', '--timeout', '1s', '--on-timeout', 'approve')).toMatchObject({
      status: 2,
    });
  });

  test('approvers are asked for as in a rule, and one of them alone is not enough', async () => {
    using home = new Home();
    const id = await detached(home, 'Deploy?', '--approvers', '2 of ann, bob');
    const asked = await home.run(['inbox', '--json']);
    expect(JSON.parse(asked.stdout)).toMatchObject([
      { session: id, approvers: { need: 2, from: ['ann', 'bob'] } },
    ]);
    const answered = await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
    expect(answered).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('this needs an answer from'),
    });
    expect(await ask(home, '--id', id, '--wait', '1s')).toMatchObject({ status: 3, stdout: '' });
    expect(await ask(home, 'Deploy?', '--approvers', 'of two')).toMatchObject({ status: 2 });
  });

  test.for([
    { args: [], why: 'missing question' },
    { args: ['Q?', '--text', '--choices', 'a'], why: '--choices and --text cannot be used together' },
    { args: ['Q?', '--choices', ''], why: '`--choices` cannot contain an empty choice' },
    { args: ['Q?', '--choices', 'eu,,us'], why: '`--choices` cannot contain an empty choice' },
    { args: ['Q?', '--detach', '--wait', '1s'], why: '--detach and --wait cannot be used together' },
    { args: ['Q?', '--on-timeout', 'reject'], why: '--on-timeout requires --timeout' },
    { args: ['Q?', '--id', 'ask-000000000000'], why: '`--id` refers to an existing question' },
    { args: ['--id', 'ask-000000000000'], why: '`ask-000000000000`' },
    { args: ['Q?', '--facts', 'host'], why: 'must be <name>=<value>' },
    { args: ['Q?', '--form', 'none.json'], why: 'cannot read the form none.json' },
  ])('refuses $args, and asks nothing', async ({ args, why }) => {
    using home = new Home();
    const { status, stdout, stderr } = await ask(home, ...args);
    expect({ isError: status === 2 || status === 4, stdout }).toEqual({ isError: true, stdout: '' });
    expect(stderr).toContain(why);
    expect(home.ids()).toEqual([]);
  });
});
