import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { hasDatabases } from './databases.js';
import { migrate } from '../../sessions/postgres/schema.js';
import { lineTo } from '../../sessions/postgres/driver/database-address.js';
import { pgDriver } from '../../sessions/postgres/driver/pg-driver.js';

const FULL = { type: 'verified', address: 'postgres://hitl@db.example/hitl?sslmode=verify-full' };

describe('F8: the line to a database', () => {
  test.each([
    ['postgres://hitl@db.example/hitl', FULL],
    [
      'postgres://hitl@db.example/hitl?sslmode=',
      { ...FULL, address: 'postgres://hitl@db.example/hitl?sslmode=&sslmode=verify-full' },
    ],
    [
      'postgres://hitl@db.example/hitl?ssl=false',
      { ...FULL, address: 'postgres://hitl@db.example/hitl?ssl=false&sslmode=verify-full' },
    ],
    [
      'postgres://localhost/hitl?host=db.example',
      { ...FULL, address: 'postgres://localhost/hitl?host=db.example&sslmode=verify-full' },
    ],
    ['postgres://hitl@db.example/hitl?sslmode=disable', { type: 'said', mode: 'disable' }],
    ['postgres://hitl@db.example/hitl?sslmode=no-verify', { type: 'said', mode: 'no-verify' }],
    ['postgres://hitl@db.example/hitl?sslmode=verify-full', { type: 'said', mode: 'verify-full' }],
    ['postgres://hitl@127.0.0.1:5432/hitl', { type: 'here' }],
    ['postgres://hitl@[::1]:5432/hitl', { type: 'here' }],
    ['postgres://hitl@localhost/hitl', { type: 'here' }],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/hitl', { type: 'here' }],
    ['postgres:///hitl?host=/var/run/postgresql', { type: 'here' }],
    ['postgres:///hitl', { type: 'here' }],
  ])('%s', (address, line) => {
    expect(lineTo(address, undefined)).toMatchObject(line);
  });

  test('an address without a host goes where the environment says', () => {
    expect(lineTo('postgres:///hitl', 'db.example')).toMatchObject({ type: 'verified' });
  });

  test.skipIf(!hasDatabases)('a listener without TLS gets no password', async () => {
    const heard: Buffer[] = [];
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (first) => {
        heard.push(first);
        const isRequest = first.length === 8; // SSLRequest
        socket.write(isRequest ? 'N' : Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])); // the password, in the clear
        socket.on('data', (more) => {
          heard.push(more);
        });
      });
    });
    listener.listen(0, '0.0.0.0');
    await once(listener, 'listening');
    onTestFinished(() => {
      listener.close();
    });
    const { pg } = await import('../../tools/servers/server.mjs');
    const { port } = listener.address() as AddressInfo;
    const driver = pgDriver(pg, `postgres://u:s3cr3t-pass@0.0.0.0:${port}/hitl`);
    await expect(driver.query('select 1')).rejects.toThrow('does not support SSL');
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('s3cr3t-pass');
    await driver.close();
  });
});

describe('F19: the lock of the schema', () => {
  test('is waited for within a limit, and then said', async () => {
    const asked: string[] = [];
    const sql = {
      query: (text: string) => {
        asked.push(text);
        if (text.includes('from hitl_schema')) throw Object.assign(new Error('no table'), { code: '42P01' });
        if (text.includes('pg_advisory_xact_lock'))
          throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
        return Promise.resolve([]);
      },
    };
    const driver = { ...sql, transaction: (act: (given: typeof sql) => Promise<unknown>) => act(sql) };
    await expect(migrate(driver as never)).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      message: 'another connection has held the table lock for 10 s',
      hint: "wait for the process that creates or updates the tables; if there is none, run: select * from pg_locks where locktype = 'advisory'",
    });
    expect(asked.slice(2, 4)).toEqual([
      "set local lock_timeout = '10s'",
      'select pg_advisory_xact_lock($1::int, 0)',
    ]);
  });
});
