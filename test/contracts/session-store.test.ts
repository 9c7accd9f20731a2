import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';

import { createMemoryStore } from '../../sessions/index.js';
import type { StoreUnderTest } from '../../src/testing/index.js';
import { temporaryStore, tickingClock } from '../sessions/temporary-store.js';
import { describeStore } from './store-suite.js';

function fileStore(): StoreUnderTest {
  const store = temporaryStore();
  const another = temporaryStore({ root: store.root });
  const takeAway = (id: string): void => {
    rmSync(path.join(store.root, id, 'lock'));
  };
  return { store, another, takeAway };
}

function memoryStore(): StoreUnderTest {
  return { store: createMemoryStore({ clock: tickingClock(), random: randomBytes }) };
}

describeStore('the file store', fileStore, 9);
describeStore('the memory store', memoryStore, 17);
