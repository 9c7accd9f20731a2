import { describe, expect, test } from 'vitest';

import type { SqlDriver, SqlParameter, SqlRow } from '../../sessions/postgres/index.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';
import type { Session } from '../../src/core/index.js';
import { isSuspension } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { agent, said } from '../sessions/sample-events.js';

const ROW: SqlRow = { sid: 1 };
const CUT = new Error('Connection terminated unexpectedly');

/** The answers of a database to whoever writes a session. */
interface Played {
  /** To an append of one record: rows where it is written, none where somebody else has its place. */
  append: (parameters: readonly SqlParameter[]) => readonly SqlRow[];
  /** The chain at which the session ends. */
  prev: SqlParameter;
  /** To the renewal of its lease. */
  renew: () => readonly SqlRow[];
}

/** The place of the new chain among the parameters of an append. */
const PREV = 5;

/** A session in a database that is played, and all of it that the test changes. */
async function written(): Promise<{
  readonly session: Session;
  readonly played: Played;
  readonly clock: ReturnType<typeof fakeClock>;
}> {
  const played: Played = { append: () => [ROW], prev: '', renew: () => [ROW] };
  const query = async (text: string, parameters: readonly SqlParameter[] = []) => {
    if (text.includes('from hitl_version')) return [{ version: 0, reads_from: 0 }];
    if (text.includes('insert into hitl_session')) return [ROW];
    if (text.includes('insert into hitl_event')) return played.append(parameters);
    if (text.startsWith('select prev')) return [{ prev: played.prev }];
    return text.includes('unnest') ? played.renew() : [];
  };
  const driver: SqlDriver = {
    query,
    transaction: (act) => act({ query }),
    listen: async () => () => undefined,
    close: async () => undefined,
  };
  const clock = fakeClock();
  const random = (size: number): Uint8Array => new Uint8Array(size);
  const store = createPostgresStore({ connection: driver, clock, random });
  const session = await store.create({ agent });
  return { session, played, clock };
}

describe('a session in PostgreSQL', () => {
  test('that somebody else wrote is left as a crash leaves it, without what was not written', async () => {
    const { session, played } = await written();
    const { version } = session;
    played.append = () => [];
    await expect(session.append([said('b')])).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    const { aborted, reason } = session.lost;
    expect([aborted, isSuspension(reason), session.version]).toEqual([true, true, version]);
  });

  test.for([
    ['somebody else has', 5_000, () => []],
    [
      'could not be renewed for as long as it lasts',
      15_000,
      () => {
        throw CUT;
      },
    ],
  ] as const)('whose lease %s is left as a crash leaves it', async ([, ms, renew]) => {
    const { session, played, clock } = await written();
    await clock.untilSleeping();
    played.renew = renew;
    for (let waited = 0; waited < ms; waited += 5_000) {
      expect(session.lost.aborted).toBe(false);
      await clock.advance(5_000);
    }
    const { reason } = session.lost;
    expect([isSuspension(reason), reason]).toMatchObject([true, { code: 'VERSION_CONFLICT' }]);
  });

  test.for([
    ['before it was written writes it once more', false],
    ['after it was written learns that it was', true],
  ] as const)('whose connection is cut %s', async ([, isWritten]) => {
    const { session, played, clock } = await written();
    let tries = 0;
    played.append = (parameters) => {
      tries += 1;
      if (tries === 1) {
        if (isWritten) played.prev = parameters[PREV] ?? '';
        throw CUT;
      }
      return isWritten ? [] : [ROW];
    };
    const appended = session.append([said('b')]);
    await Promise.race([clock.untilSleeping(2), appended]); // its lease, and the pause
    await clock.advance(100);
    await appended;
    expect([tries, session.lost.aborted]).toEqual([2, false]);
  });
});
