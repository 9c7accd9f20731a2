import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { commandEnvironment } from '../../../src/tools/builtin/command-environment.js';
import { runBehindDoor } from '../../../src/tools/builtin/run-behind-door.js';
import { systemClock } from '../../../src/library/system-clock.js';
import type { Bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { createSandbox } from '../../../src/tools/sandbox/sandbox.js';
import { kindsByUser, USER } from './kinds.js';
import type { Attempt, Escape } from './escapes.js';
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

/** What is started or loaded later; there is no `.mcp.json` yet. */
const LOADED: readonly string[] = [
  ...['hitl.config.json', 'tools/trusted.mjs', 'AGENTS.md', '.mcp.json', 'scripts/deep/notify.sh'],
  ...['node_modules/hitl', 'nested/.git/hooks', 'nested/.git/config'],
];

/** Tries an escape in a sandbox; without one, where none is given. */
async function attempt(made: Bubblewrap | undefined, escape: Escape): Promise<Attempt> {
  const { project, home, state, outside, programs } = world;
  const env = {
    PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`,
    ANTHROPIC_API_KEY: `variable-${world.token}`,
    ...{ HOME: home, TMPDIR: outside, LD_PRELOAD: `${outside}/evil.so`, BASH_ENV: `${outside}/evil.sh` },
  };
  const sandbox = createSandbox(
    {
      ...{ workspace: project, home, env },
      hidden: [state, `${project}/kept/state`],
      readOnly: () => LOADED.map((name) => `${project}/${name}`),
      reads: [],
    },
    made === undefined ? 'off' : 'auto',
    async () => (made === undefined ? { why: 'not asked for' } : { sandbox: made }),
  );
  let output = '';
  const notes: string[] = [];
  await runBehindDoor(
    {
      ...{ program: '/bin/bash', args: ['-c', `echo started; ${escape.script(world)}`], cwd: project },
      ...{ network: false, writes: true, sandbox, timeoutMs: 20_000, clock: systemClock },
      env: commandEnvironment({ env }, made !== undefined),
      onText(text) {
        output += text;
      },
      onNotes: (told) => void notes.push(...told),
    },
    new AbortController().signal,
  );
  return { output, notes };
}

const isFor = ({ needs }: Escape) => needs === undefined || needs === process.arch;
const numbered = ESCAPES.map((escape, index) => [index + 1, escape.title, escape] as const);

describe.for(kindsByUser)('a command in the sandbox, by $name', SLOW, ({ name, sandbox, why }) => {
  test.for(numbered)('does not get out: %i %s', async ([, , escape], { skip }) => {
    if (sandbox === undefined) return skip(why);
    if (!isFor(escape)) return skip('it needs another machine');
    if (name.endsWith('of a user')) world.giveTo(USER);
    const tried = await attempt(sandbox, escape);
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
    const tried = await attempt(undefined, escape);
    expect(await escape.gotOut(world, tried), tried.output).toBe(true);
    for (const pid of await processesNamed(`1000.${parseInt(world.token.slice(0, 8), 16)}`))
      process.kill(pid, 'SIGKILL');
  });
});
