import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, describe, expect, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { Running } from '../helpers/running.js';
import { hasDatabases, storeOn, withServer } from './databases.js';
import { Person } from './person.js';

const RESTORE = path.join(import.meta.dirname, '../fleet/restore.ts');
const { id, digest } = confirmation('i1', 'a', { amount: 200 });

describe.skipIf(!hasDatabases)('a backup that is restored (`npm run tools` installs the database)', () => {
  let url: string;
  let driver: SqlDriver;
  let person: Person;

  withServer((server, drive) => {
    url = server.url;
    driver = drive();
    person = new Person(url);
  });

  afterAll(() => {
    person[Symbol.dispose]();
  });

  test('F7: a dump, a base backup and a fail-over lose nothing, pay nothing twice, and are told', async () => {
    const args = ['--import', 'tsx', RESTORE, '--payments', '4', '--answers', '40'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const stdout = await text(child.stdout);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^(?:restore: 0 violations|skipped: .*)$/u);
  });

  test('F7: `hitl store restored` says what is under way, asks, and says what it did', async () => {
    const store = storeOn(driver, 'default');
    {
      await using session = await store.create({ agent });
      await session.append(transferTurn().slice(0, 5));
      const by = { type: 'person', name: 'ann', via: 'library' } as const;
      const yes = { id, digest, resolution: { action: 'restart' }, by } as const;
      await store.post(session.id, yes, { held: session });
    }
    const named = `database ${url.replace(/:[^:@]+@/u, '@')}\n`;
    const counts = '1 session would continue: 1 approved call not started, 0 calls not finished\n';
    const words =
      'approvals become invalid, and you are asked whether these calls ran; open questions stay open\n';
    expect(await person.run(['store', 'restored'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `${named}${counts}${words}error: cannot ask for confirmation without a terminal\nhint: hitl store restored --yes\n`,
    });
    const survey = { sessions: 1, approved: 1, begun: 0, workflows: 0, isAll: true };
    const done = await person.run(['store', 'restored', '--yes', '--json', '--quiet']);
    expect([done.status, JSON.parse(done.stdout), done.stderr]).toEqual([0, { done: true, ...survey }, '']);
    await driver.query('update hitl_copy set tables = tables + 1');
    expect((await person.run(['resume', '--last', '--no-input'])).stderr).toContain(
      'error: this database is a copy; sessions cannot continue until',
    );
    const copied =
      'this database is a copy of another one: sessions do not run until you confirm its origin\nhint: hitl store restored if it came from a backup, hitl store moved if the old location is gone\n';
    expect((await person.run(['store', 'status'])).stderr).toBe(copied);
    for (const words of [['worker'], ['serve', '--port', '0']]) {
      await using running = new Running(person, words);
      await running.until(copied);
    }
    const moved = await person.run(['store', 'moved', '--yes', '--json']);
    expect([moved.status, JSON.parse(moved.stdout)]).toEqual([
      0,
      { done: true, isCopy: true, restoredAt: expect.any(String) as string },
    ]);
    expect(await store.capabilities.origin?.look()).toMatchObject({ isCopy: false });
  });

  test('F7: what was open in the backup says so wherever it is shown', async () => {
    await person.run(['chat', '--model', 'demo'], { input: 'Transfer 200 to ABC123\n' });
    const [asked] = await person.waiting();
    await person.run(['store', 'restored', '--yes']);
    const words = `raised before the restore on ${new Date().toISOString().slice(0, 10)}: it may already have been answered and run`;
    expect((await person.run(['inbox'])).stdout).toContain(words);
    const { stdout } = await person.run(['show', String(asked?.session)]);
    expect(stdout).toContain(`warning: ${words}`);
    const { stderr } = await person.run(['resume', String(asked?.session), '--no-input']);
    expect(stderr).toContain(`warning: ${words}`);
  });

  test('F7: a folder needs no word about copies', async () => {
    expect(await person.run(['store', 'restored', '--yes', '--sessions', person.sessions])).toMatchObject({
      status: 2,
      stderr:
        'error: copies of session folders are detected automatically\nhint: use a database: --store postgres://…, or HITL_STORE\n',
    });
  });
});
