// The short form of `npm run faults -- --errors`: the built program on a disk whose operations fail.
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { failOperations } from '../../scripts/faults/errors.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

test.skipIf(process.platform === 'win32').for([
  { first: 3, errno: 'ENOSPC', isSticky: false, isShort: false },
  { first: 7, errno: 'EIO', isSticky: true, isShort: false },
  { first: 11, errno: 'EFBIG', isSticky: false, isShort: true },
])(
  'operations of the built program that fail are told, and nothing confirmed is lost: %j (F10 to F13: G1, G6, G7, G9, G10)',
  async ({ first, ...fault }) => {
    const { violations, ...report } = await failOperations({ faults: [fault], first, step: 12, dist });
    process.stdout.write(`errors: ${JSON.stringify(report)}\n`);
    expect(violations).toEqual([]);
    expect(report.loud).toBeGreaterThan(3);
  },
);
