import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { kindsByUser, USER } from './kinds.js';
import { attempt, isFor } from './attempt.js';
import { ESCAPES } from './escapes.js';
import type { World } from './world.js';
import { createWorld, processesNamed } from './world.js';

const SLOW = { timeout: 30_000 };

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.close();
});

const numbered = ESCAPES.map((escape, index) => [index + 1, escape.title, escape] as const);

describe.for(kindsByUser)('a command in the sandbox, by $name', SLOW, ({ name, sandbox, why }) => {
  test.for(numbered)('does not get out: %i %s', async ([, , escape], { skip }) => {
    if (sandbox === undefined) return skip(why);
    if (!isFor(escape)) return skip('it needs another machine');
    if (name.endsWith('of a user')) world.giveTo(USER);
    const tried = await attempt(world, escape, sandbox);
    expect(tried.output).toMatch(/^started\n/);
    await vi.waitFor(async () => {
      expect(await escape.gotOut(world, tried), tried.output).toBe(false);
    });
  });
});

describe('the same command without a sandbox', SLOW, () => {
  const harmless = numbered.filter(([, , { onlyInside }]) => onlyInside === undefined);

  test.for(harmless)('gets out, so that the attempt is one: %i %s', async ([, , escape], { skip }) => {
    if (escape.asRoot === true && process.getuid?.() !== 0) return skip('only root can do it');
    if (!isFor(escape)) return skip('it needs another machine');
    const tried = await attempt(world, escape, undefined);
    expect(await escape.gotOut(world, tried), tried.output).toBe(true);
    for (const pid of await processesNamed(`1000.${parseInt(world.token.slice(0, 8), 16)}`))
      process.kill(pid, 'SIGKILL');
  });
});
