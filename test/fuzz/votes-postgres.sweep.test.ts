import { afterAll, beforeAll, describe } from 'vitest';

import { pgDriver } from '../../sessions/postgres/index.js';
import { hasDatabases, storeOn } from '../postgres/databases.js';
import { fuzzTarget } from './fuzz.js';
import type { TwoDoors } from './vote-stores.js';
import { votesThrough } from './vote-stores.js';

const RUNS = 60;

describe.skipIf(!hasDatabases)('on PostgreSQL (`npm run tools` installs it)', () => {
  let doors: TwoDoors | undefined;
  let stop = (): Promise<unknown> => Promise.resolve();

  beforeAll(async () => {
    const { pg, startServer } = await import('../../tools/servers/server.mjs');
    const server = await startServer();
    const drivers = [pgDriver(pg, server.url), pgDriver(pg, server.url)] as const;
    const [store, another] = [storeOn(drivers[0], 'votes'), storeOn(drivers[1], 'votes')];
    doors = { store, another };
    stop = async () => {
      for (const each of [store, another, ...drivers]) await each.close();
      await server.stop();
    };
  });

  afterAll(() => stop());

  const opened = (): TwoDoors => {
    if (doors === undefined) throw new Error('the database was not started');
    return doors;
  };
  fuzzTarget('votes in PostgreSQL', {
    'the journal holds what the law makes of the words': votesThrough(opened, RUNS),
  });
});
