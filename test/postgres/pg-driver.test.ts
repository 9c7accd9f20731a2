import { describe, expect, test } from 'vitest';

import { pgDriver } from '../../sessions/postgres/index.js';

const PROCESS = 7;

/** The package `pg` before a server that refuses a statement; `open` are the connections that it has. */
function refusing(statement: RegExp) {
  const open = new Set<object>();
  class Client {
    readonly processID = PROCESS;
    connect(): Promise<void> {
      open.add(this);
      return Promise.resolve();
    }
    query(text: string): Promise<{ rows: readonly object[] }> {
      return statement.test(text)
        ? Promise.reject(new Error('refused'))
        : Promise.resolve({ rows: [{ pid: PROCESS }] });
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

/** The package `pg` before a server that takes everything; each connection says what it was asked. */
function taking() {
  const made: Client[] = [];
  let isMoved = false;
  class Client {
    readonly processID = PROCESS;
    readonly asked: string[] = [];
    readonly #listeners = new Map<string, ((told?: unknown) => void)[]>();
    isOpen = false;
    constructor() {
      made.push(this);
    }
    connect(): Promise<void> {
      this.isOpen = true;
      return Promise.resolve();
    }
    query(text: string): Promise<{ rows: readonly object[] }> {
      this.asked.push(text);
      const pid = isMoved ? PROCESS + 1 : PROCESS;
      return Promise.resolve({ rows: [{ locked: true, pid }] });
    }
    end(): Promise<void> {
      this.isOpen = false;
      return Promise.resolve();
    }
    unref(): void {
      // nothing keeps this process
    }
    on(event: string, listener: (told?: unknown) => void): this {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
      return this;
    }
    emit(event: string, told?: unknown): void {
      for (const listener of this.#listeners.get(event) ?? []) listener(told);
    }
  }
  class Pool {
    on(): this {
      return this;
    }
  }
  const driver = pgDriver({ Pool, Client } as unknown as Parameters<typeof pgDriver>[0], 'postgres://db');
  const move = (): void => {
    isMoved = true;
  };
  return { driver, made, move };
}

describe('an idle process', () => {
  test('hears and holds its lock on one connection, which lives as long as either', async () => {
    const { driver, made } = taking();
    const heard: string[] = [];
    const stop = await driver.listen('hitl', (notice) => {
      heard.push(notice);
    });
    const lock = await driver.lockConnection!([1, 2], () => undefined);
    expect(made.length).toBe(1);
    made[0]!.emit('notification', { channel: 'hitl', payload: 'a' });
    await lock!.close();
    expect([made[0]!.isOpen, made[0]!.asked.at(-1)]).toEqual([
      true,
      'select pg_advisory_unlock($1::int, $2::int)',
    ]);
    stop();
    made[0]!.emit('notification', { channel: 'hitl', payload: 'b' });
    expect([made[0]!.isOpen, heard]).toEqual([false, ['a']]);
  });

  test('is told of both when that connection is gone, once, and makes another one', async () => {
    const { driver, made } = taking();
    const lost: string[] = [];
    await driver.listen(
      'hitl',
      () => undefined,
      () => {
        lost.push('ear');
      },
    );
    await driver.lockConnection!([1, 2], () => {
      lost.push('lock');
    });
    made[0]!.emit('error', new Error('reset'));
    made[0]!.emit('end');
    expect([lost, made[0]!.isOpen]).toEqual([['ear', 'lock'], false]);
    await Promise.all([
      driver.listen('hitl', () => undefined),
      driver.lockConnection!([1, 3], () => undefined),
    ]);
    expect([made.length, made[1]!.isOpen]).toEqual([2, true]);
  });

  test('has lost its lock where another process of the server answers on that connection', async () => {
    const { driver, made, move } = taking();
    const lost: unknown[] = [];
    const lock = await driver.lockConnection!([1, 2], (why) => {
      lost.push(why);
    });
    await lock!.answers();
    expect([lost, made[0]!.isOpen]).toEqual([[], true]);
    move();
    await lock!.answers();
    expect([lost.length, made[0]!.isOpen]).toEqual([1, false]);
  });
});
