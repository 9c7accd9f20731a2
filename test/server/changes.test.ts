import { describe, expect, test } from 'vitest';

import type { SessionStore, StoreChange } from '../../src/core/index.js';
import { Changes } from '../../src/server/changes.js';
import { fakeClock } from '../../src/testing/index.js';

const CHANGE = { session: 'rent', what: 'answered' } as unknown as StoreChange;

describe('the changes of a store', () => {
  test('A reader hears of what happens after the store was away, with no other reader coming.', async () => {
    const clock = fakeClock();
    let looks = 0;
    const watch: SessionStore['watch'] = async function* () {
      looks += 1;
      if (looks === 1) throw new Error('the database is away');
      yield CHANGE;
    };
    const stop = new AbortController();
    const heard = new Changes({ watch } as SessionStore, clock).from(stop.signal);
    const first = heard.next();
    await clock.untilSleeping();
    await clock.advance(10_000);
    expect(await first).toEqual({ done: false, value: CHANGE });
    stop.abort();
    expect(await heard.next()).toEqual({ done: true, value: undefined });
  });

  test.for([0, 1, 2, 3, 4])(
    'A reader that begins to wait hears of what is told after %i turns.',
    async (turns) => {
      const silent = { next: () => new Promise<never>(() => undefined) };
      const watch = () => ({ [Symbol.asyncIterator]: () => silent });
      const stop = new AbortController();
      const changes = new Changes({ watch } as unknown as SessionStore, fakeClock());
      const heard = changes.from(stop.signal).next();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      changes.tell(CHANGE);
      const late = new Promise((resolve) => {
        setImmediate(resolve, 'nothing was heard');
      });
      expect(await Promise.race([heard, late])).toEqual({ done: false, value: CHANGE });
      stop.abort();
    },
  );
});
