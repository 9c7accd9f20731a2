import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../sessions/index.js';
import type { StoreUnderTest } from '../../src/testing/index.js';
import { sessionStoreCases } from '../../src/testing/index.js';
import { temporaryStore, tickingClock } from '../sessions/temporary-store.js';

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

describe.each([
  ['the file store', fileStore, 0],
  ['the memory store', memoryStore, 5],
] as const)('%s as a session store', (name, make, leftOut) => {
  const count = { held: 0, 'left-out': 0 };

  afterAll(() => {
    // eslint-disable-next-line no-console -- how many promises were tried is what this suite is asked for
    console.log(`${name}: ${count.held} promises held, ${count['left-out']} left out`);
    expect(count).toEqual({ held: sessionStoreCases.length - leftOut, 'left-out': leftOut });
  });

  for (const { title, run } of sessionStoreCases) {
    test(title, async () => {
      count[await run(make())] += 1;
    });
  }
});
