// Many questions, each answered twice at the same time while workers, lines and the server fail. QUESTIONS says how many,
// shared out among all schedules, WORKERS the workers at the same time, and SCHEDULE one kind of trouble:
// `QUESTIONS=400 SCHEDULE=kills npm run fleet`. Without them it is a short form of all troubles at once.
import { describe, expect, test } from 'vitest';

import { hasDatabases } from '../postgres/databases.js';
import { SCHEDULES } from './faults.js';

const { QUESTIONS, SCHEDULE, WORKERS } = process.env;
const names = SCHEDULE?.split(',') ?? (QUESTIONS === undefined ? ['all'] : Object.keys(SCHEDULES));
const questions = Math.ceil(Number(QUESTIONS ?? 60) / names.length);
const KINDS = ['unheard', 'stranded', 'resolvedTwice', 'wrongPeople', 'lost', 'untold', 'twice'];

describe.skipIf(!hasDatabases)('many machines (`npm run tools` installs the database)', () => {
  test.for(names)(
    'count one answer of two and do each thing once or ask, and come to rest with nothing unread, through %s troubles (F1)',
    { timeout: 300_000 + questions * 2_000 },
    async (name) => {
      const { startServer } = await import('../../tools/servers/server.mjs');
      const { say, trial } = await import('./trial.js');
      const faults = SCHEDULES[name];
      if (faults === undefined) throw new Error(`the schedules are ${Object.keys(SCHEDULES).join(', ')}`);
      const server = await startServer();
      try {
        const size = Number(WORKERS ?? 3);
        const { violations, others } = await trial({
          ...{ name, faults, questions, server, url: server.url, size },
        });
        say(`${name}: ${JSON.stringify(others)}`);
        expect(violations).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, 0])));
        expect(others['questions']).toBeGreaterThanOrEqual(questions);
      } finally {
        await server.stop();
      }
    },
  );
});
