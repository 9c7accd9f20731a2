import { describe, expect, test } from 'vitest';

import { pgDriver } from '../../sessions/postgres/index.js';

/** The package `pg` before a server that refuses a statement; `open` are the connections that it has. */
function refusing(statement: RegExp) {
  const open = new Set<object>();
  class Client {
    connect(): Promise<void> {
      open.add(this);
      return Promise.resolve();
    }
    query(text: string): Promise<{ rows: never[] }> {
      return statement.test(text) ? Promise.reject(new Error('refused')) : Promise.resolve({ rows: [] });
    }
    end(): Promise<void> {
      open.delete(this);
      return Promise.resolve();
    }
    unref(): void {
      // nothing keeps this process
    }
    on(): this {
      return this;
    }
  }
  const driver = pgDriver(
    { Pool: Client, Client } as unknown as Parameters<typeof pgDriver>[0],
    'postgres://db',
  );
  return { driver, open };
}

describe('a connection of its own to PostgreSQL', () => {
  test('One that may not listen is ended, and not only given up.', async () => {
    const { driver, open } = refusing(/^listen/u);
    await expect(driver.listen('hitl', () => undefined)).rejects.toThrow('refused');
    expect(open.size).toBe(0);
  });

  test.each([/keepalives/u, /advisory_lock/u])(
    'One that cannot hold a lock for %s is ended.',
    async (statement) => {
      const { driver, open } = refusing(statement);
      await expect(driver.lockConnection!([1, 2], () => undefined)).rejects.toThrow('refused');
      expect(open.size).toBe(0);
    },
  );
});
