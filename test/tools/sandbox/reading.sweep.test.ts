import { describe, expect, test, vi } from 'vitest';

import { killPoints } from '../../helpers/kill-points.js';
import { attempt, isFor } from './attempt.js';
import type { Escape } from './escapes.js';
import { ESCAPES, READING_ESCAPES } from './escapes.js';
import { kindsByUser, USER } from './kinds.js';
import type { World } from './world.js';
import { createWorld } from './world.js';

const SLOW = { timeout: 30_000 };

async function readingWorld(escape: Escape): Promise<World> {
  const world = await createWorld(escape);
  await world.addForReading();
  return world;
}

const own = READING_ESCAPES.map(
  (escape, index) => [ESCAPES.length + index + 1, escape.title, escape] as const,
);
const known = ESCAPES.map((escape, index) => [index + 1, escape.title, escape] as const);
/** `escapes.sweep.test.ts` tries all known escapes, with a sandbox that allows more. */
const all = [...killPoints(known, 2), ...own];

/** An older bubblewrap cannot hold a command that nobody was asked about. */
const strict = kindsByUser.filter(({ name }) => name !== 'an older bubblewrap');

describe.for(strict)('a command that only reads, by $name', SLOW, ({ name, sandbox, why }) => {
  const isUser = name.endsWith('of a user');
  test.for(isUser ? own : all)('does not get out: %i %s', async ([, , escape], { skip }) => {
    if (sandbox === undefined) return skip(why);
    if (!isFor(escape)) return skip('it needs another machine');
    await using world = await readingWorld(escape);
    if (isUser) world.giveTo(USER);
    const tried = await attempt(world, escape, sandbox, 'reads');
    expect(tried.output).toMatch(/^started\n/);
    await vi.waitFor(async () => {
      expect(await escape.gotOut(world, tried), tried.output).toBe(false);
    });
  });
});

/**
 * A sample of them: all but the copy holds as above. A command may change what is told about a file of the copy;
 * `in-copy.sweep.test.ts` has what comes back of that.
 */
const inCopy = [...killPoints(known, 3), ...own].filter(
  ([, title]) => !title.startsWith('changes what is told about a file'),
);

describe.for(strict.slice(0, 1))('a command in a copy of the folder, by $name', SLOW, ({ sandbox, why }) => {
  test.for(inCopy)('does not get out: %i %s', async ([, , escape], { skip }) => {
    if (sandbox === undefined) return skip(why);
    if (!isFor(escape)) return skip('it needs another machine');
    await using world = await readingWorld(escape);
    const tried = await attempt(world, escape, sandbox, 'copy');
    expect(tried.output).toMatch(/^started\n/);
    await vi.waitFor(async () => {
      expect(await escape.gotOut(world, tried), tried.output).toBe(false);
    });
  });
});

describe('the same command without a sandbox', SLOW, () => {
  test.for(own.filter(([, , { onlyInside }]) => onlyInside === undefined))(
    'gets out, so that the attempt is one: %i %s',
    async ([, , escape], { skip }) => {
      if (!isFor(escape)) return skip('it needs another machine');
      await using world = await readingWorld(escape);
      const tried = await attempt(world, escape, undefined);
      await vi.waitFor(async () => {
        expect(await escape.gotOut(world, tried), tried.output).toBe(true);
      });
    },
  );
});
