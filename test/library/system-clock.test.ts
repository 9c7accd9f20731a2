import { expect, test } from 'vitest';

import { systemClock } from '../../src/library/index.js';

test('a sleep of the clock of this machine that is called off rejects with the reason', async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(60_000, stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(systemClock.sleep(0, stop.signal)).rejects.toBe(reason);
  await expect(systemClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
});
