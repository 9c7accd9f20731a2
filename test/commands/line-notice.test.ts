import { expect, test } from 'vitest';

import { lineNotice } from '../../commands/store/store.js';

test.each([
  ['postgres://db.example/hitl', 'the line to db.example is encrypted and verified (sslmode=verify-full)'],
  [
    'postgres://db.example/hitl?sslmode=disable',
    'the line to db.example is not encrypted: whoever stands between reads and changes everything (sslmode=disable)',
  ],
  [
    'postgres://db.example/hitl?sslmode=no-verify',
    'the line to db.example is encrypted and not verified: whoever stands between reads and changes everything (sslmode=no-verify)',
  ],
  ['postgres://localhost/hitl', undefined],
])('F8: a start says of %s: %s', (store, line) => {
  expect(lineNotice({ env: {} }, { store })).toBe(line);
});
