import { test } from 'vitest';

import { race } from './lock-processes.js';

test('the lock of a session is held by one of eight processes at a time, 12 times each (G23, F17)', async () => {
  await race(8, 12);
});
