import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';

import { pgDriver } from '../../sessions/postgres/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { lines, PROGRAM } from '../helpers/program.js';
import { Running } from '../helpers/running.js';
import { hasDatabases, withServer } from './databases.js';
import { Person } from './person.js';

const NIGHT = `name: night
nodes:
  ok: { kind: human, prompt: healthy?, schema: { type: boolean }, timeout: 1s, onTimeout: { value: false } }
end: [ok]
`;

describe.skipIf(!hasDatabases)('the program on PostgreSQL (`npm run tools` installs it)', () => {
  let server: TestServer;

  withServer((started) => {
    server = started;
  });

  test('a machine without the database key records nothing, and makes no second one', async () => {
    using ann = new Person(server.url);
    using bob = new Person(server.url);
    expect(await ann.run(['store', 'key'])).toMatchObject({ status: 0 });
    await ann.run(['chat'], { input: lines('Transfer 200 to ABC123') });
    const [asked] = await bob.waiting();
    const id = asked?.session ?? '';
    const told =
      'error: this machine does not have the database key: events written by this machine would be void\nhint: copy the key from';
    for (const words of [['answer', id, 'y', '--any'], ['worker'], ['serve', '--port', '0']]) {
      const { status, stderr } = await bob.run(words);
      expect([status, stderr.slice(0, told.length)]).toEqual([2, told]);
    }
    const second = await bob.run(['store', 'key']);
    expect([second.status, second.stderr]).toEqual([
      2,
      `error: the database already has a key, set by ${hostname()}\nhint: on that machine, \`hitl store key\` shows the key file: copy it to ${join(bob.path, 'store-key')}; if it is lost: hitl store key --replace\n`,
    ]);
    cpSync(join(ann.path, 'store-key'), join(bob.path, 'store-key'));
    expect(await bob.run(['answer', id, 'y', '--any'])).toMatchObject({ status: 0 });
    expect(await ann.run(['rm', id, '--yes'])).toMatchObject({ status: 0 });
    const { pg } = await import('../../tools/servers/server.mjs');
    const driver = pgDriver(pg, server.url);
    await driver.query('delete from hitl_key');
    await driver.close();
  });

  test('has no mode auto there, and says that a reviewer is not asked', async () => {
    using ann = new Person(server.url);
    const why = 'this session’s store does not keep file copies, so nothing could be undone';
    writeFileSync(join(ann.path, 'config.json'), JSON.stringify({ reviewer: { command: ['true'] } }));
    const chat = ['chat', '-p', 'Transfer 200 to ABC123', '--model', 'demo'];
    const asked = await ann.run(chat, { cwd: ann.work });
    expect([asked.status, asked.stderr]).toEqual([
      3,
      expect.stringContaining(`\`reviewer\` is not used, because mode auto is not available: ${why}\n`),
    ]);
    const auto = await ann.run([...chat, '--mode', 'auto'], { cwd: ann.work });
    expect([auto.status, auto.stderr]).toEqual([
      2,
      `error: mode auto is not available: ${why}\nhint: use another mode: --mode accept-edits\n`,
    ]);
    const [open] = await ann.waiting();
    expect(await ann.run(['rm', open?.session ?? '', '--yes'])).toMatchObject({ status: 0 });
  });

  test('asks and is killed; another person on another machine answers, and either goes on', async () => {
    using ann = new Person(server.url);
    using bob = new Person(server.url);
    const chat = new Running(ann, ['chat']);
    chat.write(lines('Transfer 200 to ABC123'));
    await chat.until('needs your confirmation');
    await chat.kill();
    const [asked] = await bob.waiting();
    const id = asked?.session ?? '';
    expect((await bob.run(['list'])).stdout).toContain(`${id}  waiting(1)`);
    const answered = await bob.run(['answer', id, 'y', '--digest', asked?.digest ?? '']);
    expect(answered.stderr).toContain('Approved: ');
    expect(await bob.run(['answer', id, 'n'])).toMatchObject({ status: 2 });
    expect(await ann.run(['resume', id, '--no-input'])).toMatchObject({ status: 0 });
    expect((await bob.run(['show', id])).stdout).toContain('balance is now 800');
    expect((await bob.run(['show', id, '--effects'])).stdout).toContain('transfer');
    expect(existsSync(ann.sessions)).toBe(false);
    expect((await bob.run(['why', id])).stdout).toContain('  approved by ');
    expect(await bob.run(['export', id])).toMatchObject({ status: 0 });
    const audit = await bob.run(['audit', 'verify', id]);
    expect(audit).toMatchObject({ status: 0 });
    const copied = await bob.run(['copy', id, '--to', join(bob.path, 'sessions')]);
    expect(copied.stdout).toContain(`${id}  copied`);
    expect(await bob.run(['rm', id, '--yes'])).toMatchObject({ status: 0 });
    expect(await ann.waiting()).toEqual([]);
    const here = await bob.run(['show', id, '--sessions', bob.sessions]);
    expect(here.stdout).toContain('balance is now 800');
  });

  test('is told of the time by `hitl tick`, whoever runs it', async () => {
    using ann = new Person(server.url);
    using bob = new Person(server.url);
    const flow = join(ann.path, 'night.yaml');
    writeFileSync(flow, NIGHT);
    expect((await ann.run(['run', flow, '--trust'])).status).toBe(3);
    await passing(1_100);
    const closed = await ann.run(['tick', '--trust']);
    expect([closed.status, closed.stdout]).toEqual([0, expect.stringContaining('  left: ')]);
    const ticked = await ann.run(['tick', '--trust', '--folder', ann.path]);
    expect(ticked.stdout).toMatch(/^\w+ {2}done {2}night\n$/u);
    expect(await bob.waiting()).toEqual([]);
  });

  test('asks for another agent by `hitl mcp`, and takes the answer of somebody elsewhere', async () => {
    using ann = new Person(server.url);
    using bob = new Person(server.url);
    const client = new Client({ name: 'codex', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const args = [PROGRAM, 'mcp', '--wait', '20s'];
    const { env, work: cwd } = ann;
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd }));
    const asking = client.callTool({ name: 'request_approval', arguments: { action: 'deploy 2.1' } });
    await expect.poll(async () => (await bob.waiting()).length, { timeout: 20_000 }).toBe(1);
    const [asked] = await bob.waiting();
    expect(
      (await bob.run(['answer', asked?.session ?? '', 'y', '--digest', asked?.digest ?? ''])).status,
    ).toBe(0);
    expect((await asking).structuredContent).toMatchObject({ status: 'approved' });
    await client.close();
  });

  test('is told that all programs are upgraded, and ends as a worker where the tables are newer than it knows (F8)', async () => {
    using ann = new Person(server.url);
    expect(await ann.run(['store', 'upgrade'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('the database is already upgraded') as string,
    });
    const { pg } = await import('../../tools/servers/server.mjs');
    const sql = pgDriver(pg, server.url);
    await sql.query('update hitl_version set reads_from = 3 where version > 3');
    expect(await ann.run(['store', 'upgrade'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('hitl store upgrade --yes') as string,
    });
    const upgraded = await ann.run(['store', 'upgrade', '--yes', '--json']);
    expect([upgraded.status, JSON.parse(upgraded.stdout)]).toEqual([0, { upgraded: true, older: [] }]);
    const worker = new Running(ann, ['worker']);
    await worker.until('Ctrl-C stops');
    await sql.query('insert into hitl_version (version, reads_from) values (91, 91)');
    await worker.until('from a newer version (91;');
    expect(await worker.ended).toMatchObject({ status: 5 });
    await sql.query('delete from hitl_version where version = 91');
    await sql.close();
  });

  test('says that a worker takes what was answered, where one lives', async () => {
    using ann = new Person(server.url);
    await ann.run(['chat'], { input: lines('Transfer 200 to ABC123') });
    const [asked] = await ann.waiting();
    const id = asked?.session ?? '';
    await using worker = new Running(ann, ['worker', '--trust']);
    await worker.until('Ctrl-C stops');
    const { stderr } = await ann.run(['answer', id, 'y', '--digest', asked?.digest ?? '']);
    expect(stderr).toContain(`A worker continues the session; hint: hitl show ${id}\n`);
    await worker.until(`${id}  rests`);
    expect(await ann.run(['rm', id, '--yes'])).toMatchObject({ status: 0 });
  });

  test('takes the password from ~/.pgpass, and warns of nothing', async () => {
    const { password } = new URL(server.url);
    using ann = new Person(server.url.replace(`:${password}@`, '@'));
    writeFileSync(join(ann.path, '.pgpass'), `127.0.0.1:*:*:hitl:${password}\n`, { mode: 0o600 });
    expect(await ann.run(['list', '--quiet'])).toMatchObject({ status: 0, stderr: '' });
  });

  test.for([
    ['a wrong password', (url: string) => url.replace(/:[^:@]+@/u, ':hushhush@'), '~/.pgpass', 2],
    [
      'no password',
      (url: string) => url.replace(/:[^:@/]+@/u, '@'),
      'in ~/.pgpass (readable only by you)',
      2,
    ],
    ['a database that is not there', (url: string) => url.replace(/\w+$/u, 'nothere'), 'createdb', 2],
    ['no server', () => 'postgres://ann:hushhush@127.0.0.1:1/hitl', 'check that the server is running', 6],
    ['another kind of database', () => 'mysql://ann:hushhush@127.0.0.1/hitl', 'postgres://user@host', 2],
  ] as const)(
    'says what to do about %s, and never shows the password',
    async ([, change, hint, expected]) => {
      using ann = new Person(change(server.url));
      for (const words of [['list'], ['chat', '-p', 'hello'], ['inbox', '--verbose'], ['config']]) {
        const { status, stdout, stderr } = await ann.run(words);
        expect(`${stdout}${stderr}`).not.toMatch(/hushhush|secret-of-the-test/u);
        if (words[0] === 'config') continue;
        expect(status).toBe(expected);
        expect(stderr).toContain(hint);
      }
    },
  );
});
