// The short form of `npm run faults -- --bytes`: the journal of a session of the built program, spoiled everywhere.
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { spoilJournal } from '../../scripts/faults/bytes.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'a journal of the built program that was spoiled anywhere gives no record that was not written (F6 to F9: G3, G4)',
  async () => {
    const { tried, violations } = await spoilJournal({ seed: 3, dist, step: 7 });
    process.stdout.write(`bytes: ${tried} journals\n`);
    expect(violations).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
  },
);
