import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgDriver } from '../../sessions/postgres/index.js';
import { isHitlError } from '../../src/core/index.js';
import type { TestPooler } from '../../tools/servers/pooler.mjs';
import { pgbouncer, startPooler } from '../../tools/servers/pooler.mjs';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';
import { Person } from './person.js';

const LOCKS = `select from pg_locks where locktype = 'advisory'`;
const REFUSED = {
  message: 'the database is behind a pooler in transaction mode, which cannot hold session locks',
  hint: 'set a URL without the pooler for locks: HITL_STORE_LOCKS=postgres://…; keep the other settings',
};

describe.skipIf(!hasDatabases || pgbouncer === undefined)(
  'pgbouncer before PostgreSQL (`npm run tools` installs the database, the system pgbouncer)',
  () => {
    let database: TestServer;
    let direct: SqlDriver;
    let module: Parameters<typeof pgDriver>[0];

    beforeAll(async () => {
      const { pg, startServer } = await import('../../tools/servers/server.mjs');
      module = pg;
      database = await startServer();
      direct = pgDriver(pg, database.url);
    });

    afterAll(async () => {
      await direct.close();
      await database.stop();
    });

    async function poolerOf(options: Omit<Parameters<typeof startPooler>[0], 'to'>): Promise<TestPooler> {
      const pooler = await startPooler({ to: database.url, ...options });
      onTestFinished(() => pooler.stop());
      return pooler;
    }

    function driverAt(url: string, locks?: string): SqlDriver {
      const driver = pgDriver(module, url, locks === undefined ? {} : { locks });
      onTestFinished(() => driver.close());
      return driver;
    }

    async function errorOf(doing: Promise<unknown>): Promise<unknown> {
      const thrown: unknown = await doing.catch((error: unknown) => error);
      return isHitlError(thrown) ? [thrown.code, thrown.message, thrown.hint] : thrown;
    }

    test.each([{ size: 1 }, { size: 20 }, { size: 2, inTurns: true }, { size: 20, inTurns: true }])(
      'in transaction mode holds no lock, leaves none behind, and that is said: %o',
      async (lending) => {
        const { url } = await poolerOf({ mode: 'transaction', ...lending });
        const busy = driverAt(url);
        const wide = Array.from({ length: lending.size > 2 ? 8 : 1 }, () =>
          busy.query('select pg_sleep(0.1)'),
        );
        await Promise.all(wide);
        const driver = driverAt(url);
        const refused = ['BAD_CONFIG', REFUSED.message, REFUSED.hint];
        expect(await errorOf(driver.ready!())).toEqual(refused);
        expect(await errorOf(driver.lockConnection!([1, 2], () => undefined))).toEqual(refused);
        expect(await direct.query(LOCKS)).toEqual([]);
      },
    );

    test.each([{ size: 2 }, { size: 20 }])(
      'in session mode holds one, without a word: %o',
      async (lending) => {
        const { url } = await poolerOf({ mode: 'session', ...lending });
        const driver = driverAt(url);
        await driver.ready!();
        const lock = await driver.lockConnection!([1, 2], () => undefined);
        expect((await direct.query(LOCKS)).length).toBe(1);
        await lock!.close();
        expect(await direct.query(LOCKS)).toEqual([]);
      },
    );

    test('with an address for locks all else goes through it, sets nothing there, and reads what is committed', async () => {
      const { url } = await poolerOf({ mode: 'transaction', size: 2 });
      const driver = driverAt(url, database.url);
      const store = storeOn(driver, 'through');
      onTestFinished(() => store.close());
      await using session = await store.create({ agent, events: transferTurn().slice(0, 4) });
      const heard: string[] = [];
      await driver.listen('hitl_told', (told) => {
        heard.push(told);
      });
      await direct.query(`select pg_notify('hitl_told', 'x')`);
      await expect.poll(() => heard).toEqual(['x']);
      expect((await direct.query(LOCKS)).length).toBe(1);
      await direct.query(`alter role hitl set default_transaction_isolation = 'serializable'`);
      onTestFinished(async () => {
        await direct.query('alter role hitl reset default_transaction_isolation');
      });
      const fresh = driverAt((await poolerOf({ mode: 'transaction', size: 1 })).url, database.url);
      const shown = `select current_setting('transaction_isolation') as is`;
      expect([
        await fresh.query(shown),
        await fresh.transaction((sql) => sql.query(shown)),
        await driverAt(database.url).query(shown),
      ]).toEqual([[{ is: 'serializable' }], [{ is: 'read committed' }], [{ is: 'read committed' }]]);
      await session.append(transferTurn().slice(4, 5));
    });

    test('An address for locks that is a pooler in transaction mode itself, or of another database, is refused.', async () => {
      const { url } = await poolerOf({ mode: 'transaction' });
      expect(await errorOf(driverAt(url, url).ready!())).toEqual([
        'BAD_CONFIG',
        'the URL for locks goes through a pooler in transaction mode, which cannot hold session locks',
        "set the server's own URL, without a pooler: HITL_STORE_LOCKS=postgres://…",
      ]);
      await direct.query('create database another');
      const another = new URL(database.url);
      another.pathname = '/another';
      expect(await errorOf(driverAt(url, another.href).ready!())).toEqual([
        'BAD_CONFIG',
        'the URL for locks and the store URL point to different databases',
        'use the same database on the same server, without the pooler: HITL_STORE_LOCKS=postgres://…',
      ]);
    });

    test('The program says so in two lines, with the status of a bad configuration, and begins nothing.', async () => {
      const { url } = await poolerOf({ mode: 'transaction' });
      await direct.query('create database empty');
      const address = new URL(url);
      address.pathname = '/empty';
      using person = new Person(address.href);
      const stderr = `error: ${REFUSED.message}\nhint: ${REFUSED.hint}\n`;
      for (const words of [
        ['inbox'],
        ['worker'],
        ['serve', '--port', '0'],
        ['chat', '--model', 'demo', '-p', 'hi'],
      ])
        expect([words, await person.run(words)]).toMatchObject([words, { status: 2, stdout: '', stderr }]);
      const server = new URL(database.url);
      server.pathname = '/empty';
      expect(await driverAt(server.href).query(`select from pg_tables where tablename like 'hitl%'`)).toEqual(
        [],
      );
      const HITL_STORE_LOCKS = server.href;
      expect(await person.run(['inbox'], { env: { HITL_STORE_LOCKS } })).toMatchObject({ status: 0 });
      const { stdout } = await person.run(['config', '--json'], { env: { HITL_STORE_LOCKS } });
      expect(stdout).not.toContain('secret-of-the-test');
    });

    test('A fleet through it decides and does all once, through kills, and restarts of both (must-show 4).', async () => {
      const { startServer } = await import('../../tools/servers/server.mjs');
      const { say, trial } = await import('../fleet/trial.js');
      const questions = Number(process.env['QUESTIONS'] ?? 40);
      const server = await startServer();
      onTestFinished(() => server.stop());
      const pooler = await startPooler({ to: server.url, mode: 'transaction', size: 6 });
      onTestFinished(() => pooler.stop());
      vi.stubEnv('HITL_STORE_LOCKS', server.url);
      const { violations, others } = await trial({
        ...{ name: 'pooler', faults: ['kill', 'cut'], questions, size: 2, server, url: pooler.url },
        midway: async () => {
          await pooler.restart();
          await pooler.crash();
          await server.restart();
        },
      });
      say(`pooler: ${JSON.stringify(others)}`);
      expect(Object.entries(violations).filter(([, count]) => count !== 0)).toEqual([]);
      expect(others['questions']).toBeGreaterThanOrEqual(questions);
      expect(others['kill']).toBeGreaterThan(0);
    });
  },
);
