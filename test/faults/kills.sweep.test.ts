// The short form of `npm run faults -- --kills`: the built program, killed at random moments.
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { EXPECTED_EFFECTS } from '../../scripts/faults/kill-world.js';
import { killSessions } from '../../scripts/faults/kills.js';
import { databasePlace } from '../../scripts/faults/place.js';
import { hasDatabases } from '../postgres/databases.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'sessions of the built program that are killed 25 times lose nothing and do nothing twice (F1: G1, G2, G9 to G11, G19, G32)',
  async () => {
    const { violations, ...report } = await killSessions({ kills: 25, seed: 20_260_101, dist });
    process.stdout.write(`kills: ${JSON.stringify(report)}\n`);
    expect(violations).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(25);
    expect(report.effects).toBe(EXPECTED_EFFECTS.size * report.sessions);
  },
);

test.skipIf(!hasDatabases)(
  'sessions in PostgreSQL whose program and whose server are killed 12 times lose nothing and do nothing twice (`npm run tools` installs it)',
  async () => {
    await using place = await databasePlace();
    const { violations, ...report } = await killSessions({ kills: 12, seed: 20_260_102, dist, place });
    process.stdout.write(`kills: ${JSON.stringify(report)}\n`);
    expect(violations).toEqual([]);
    expect(report.crashes).toBeGreaterThan(0);
    expect(report.effects).toBe(EXPECTED_EFFECTS.size * report.sessions);
  },
);
