import { describe, expect, test, vi } from 'vitest';

import { killPoints } from '../../helpers/kill-points.js';
import { kindsByUser, USER } from './kinds.js';
import { attempt, isFor } from './attempt.js';
import { ESCAPES } from './escapes.js';
import { createWorld, processesNamed } from './world.js';

const SLOW = { timeout: 30_000 };

const numbered = ESCAPES.map((escape, index) => [index + 1, escape.title, escape] as const);

/** Each, by the sandbox as it is here; a sample of them by the others, and without one. */
const sampled = kindsByUser.map((kind, index) => ({
  ...kind,
  escapes: index === 0 ? numbered : killPoints(numbered, 3, index),
}));

describe.for(sampled)('a command in the sandbox, by $name', SLOW, ({ name, sandbox, why, escapes }) => {
  test.for(escapes)('does not get out: %i %s', async ([, , escape], { skip }) => {
    if (sandbox === undefined) return skip(why);
    if (!isFor(escape)) return skip('it needs another machine');
    await using world = await createWorld(escape);
    if (name.endsWith('of a user')) world.giveTo(USER);
    const tried = await attempt(world, escape, sandbox);
    expect(tried.output).toMatch(/^started\n/);
    await vi.waitFor(async () => {
      expect(await escape.gotOut(world, tried), tried.output).toBe(false);
    });
  });
});

describe('the same command without a sandbox', SLOW, () => {
  const harmless = killPoints(
    numbered.filter(([, , { onlyInside }]) => onlyInside === undefined),
    3,
  );

  test.for(harmless)('gets out, so that the attempt is one: %i %s', async ([, , escape], { skip }) => {
    if (escape.asRoot === true && process.getuid?.() !== 0) return skip('only root can do it');
    if (!isFor(escape)) return skip('it needs another machine');
    await using world = await createWorld(escape);
    const tried = await attempt(world, escape, undefined);
    expect(await escape.gotOut(world, tried), tried.output).toBe(true);
    for (const pid of await processesNamed(`1000.${parseInt(world.token.slice(0, 8), 16)}`))
      process.kill(pid, 'SIGKILL');
  });
});
