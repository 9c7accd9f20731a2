import { afterAll, describe } from 'vitest';

import { hasDatabases, storeOn, withServer } from '../postgres/databases.js';
import { fuzzTarget } from './fuzz.js';
import type { TwoDoors } from './vote-stores.js';
import { votesThrough } from './vote-stores.js';

const RUNS = 60;

describe.skipIf(!hasDatabases)('on PostgreSQL (`npm run tools` installs it)', () => {
  let doors: TwoDoors | undefined;

  withServer((_server, drive) => {
    doors = { store: storeOn(drive(), 'votes'), another: storeOn(drive(), 'votes') };
  });

  afterAll(async () => {
    for (const each of Object.values(doors ?? {})) await each.close();
  });

  const opened = (): TwoDoors => {
    if (doors === undefined) throw new Error('the database was not started');
    return doors;
  };
  fuzzTarget('votes in PostgreSQL', {
    'the journal holds what the law makes of the words': votesThrough(opened, RUNS),
  });
});
