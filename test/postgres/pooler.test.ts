import { describe, expect, test } from 'vitest';

import { isLent } from '../../sessions/postgres/driver/pooler.js';

const LEND_MS = 20;

interface Lending {
  /** `session`: a connection keeps its process; `last` and `turns`: the one that was idle last, or longest. */
  readonly by: 'session' | 'last' | 'turns';
  /** Processes that are idle beside the one of the first connection. */
  readonly idle: number;
  /** Processes at most. */
  readonly most?: number;
}

/** A pooler, and a first connection that it answered once. */
function pooler({ by, idle, most = 10 }: Lending) {
  const free = Array.from({ length: idle + 1 }, (_, index) => index + 1);
  let made = free.length;
  const open = new Set<object>();
  const taken = (): number | undefined => {
    const one = by === 'turns' ? free.shift() : free.pop();
    if (one !== undefined || made >= most) return one;
    made += 1;
    return made;
  };
  const connection = () => {
    let kept: number | undefined;
    let isIn = false;
    const self = {
      query(text: string): Promise<{ rows: { pid?: number | undefined }[] }> {
        kept ??= taken();
        if (kept === undefined) return new Promise(() => undefined);
        const pid = kept;
        if (text.startsWith('begin')) isIn = true;
        if (text === 'rollback') isIn = false;
        if (!isIn && by !== 'session') {
          free.push(pid);
          kept = undefined;
        }
        return Promise.resolve({ rows: [{ pid }] });
      },
      end(): Promise<void> {
        open.delete(self);
        if (kept !== undefined) free.push(kept);
        return Promise.resolve();
      },
    };
    open.add(self);
    return self;
  };
  return { connection, open };
}

async function found(lending: Lending): Promise<readonly [boolean, number]> {
  const { connection, open } = pooler(lending);
  const first = connection();
  const [row] = (await first.query('select')).rows;
  const is = await isLent(first, Number(row?.pid), () => Promise.resolve(connection()), LEND_MS);
  return [is, open.size];
}

describe('a pooler before PostgreSQL', () => {
  test.each([
    { by: 'last', idle: 0, most: 1 },
    { by: 'last', idle: 0 },
    { by: 'last', idle: 5 },
    { by: 'turns', idle: 0 },
    { by: 'turns', idle: 1, most: 2 },
    { by: 'turns', idle: 1 },
    { by: 'turns', idle: 5 },
  ] as const)(
    'lends the process of an idle connection to another, and ends what asked: %o',
    async (lending) => {
      expect(await found(lending)).toEqual([true, 1]);
    },
  );

  test.each([
    { by: 'session', idle: 0 },
    { by: 'session', idle: 5 },
    { by: 'session', idle: 0, most: 1 },
  ] as const)('keeps a process for a connection, also where it has no other one: %o', async (lending) => {
    expect(await found(lending)).toEqual([false, 1]);
  });

  test('What cannot be found out is no lock: a pooler that refuses transactions is an error.', async () => {
    const { connection } = pooler({ by: 'last', idle: 0 });
    const refused = {
      query: () => Promise.reject(new Error('no transactions')),
      end: () => Promise.resolve(),
    };
    await expect(isLent(connection(), 1, () => Promise.resolve(refused), LEND_MS)).rejects.toThrow(
      'no transactions',
    );
  });
});
