import { expect, test } from 'vitest';

import { lineNotice } from '../../commands/store/store.js';

test.each([
  [
    'postgres://db.example/hitl',
    'the connection to db.example is encrypted and verified (sslmode=verify-full)',
  ],
  [
    'postgres://db.example/hitl?sslmode=disable',
    'the connection to db.example is not encrypted: anyone in between can read and change everything (sslmode=disable)',
  ],
  [
    'postgres://db.example/hitl?sslmode=no-verify',
    'the connection to db.example is encrypted but not verified: anyone in between can read and change everything (sslmode=no-verify)',
  ],
  ['postgres://localhost/hitl', undefined],
])('F8: a start says of %s: %s', (store, line) => {
  expect(lineNotice({ env: {} }, { store })).toBe(line);
});
