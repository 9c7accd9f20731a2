import { commandEnvironment } from '../../../src/tools/builtin/command-environment.js';
import { runBehindDoor } from '../../../src/tools/builtin/run-behind-door.js';
import { systemClock } from '../../../src/library/system-clock.js';
import type { Bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { callFilter } from '../../../src/tools/sandbox/call-filter.js';
import { copyFolder, removeCopy } from '../../../src/tools/sandbox/folder-copy.js';
import { createSandbox } from '../../../src/tools/sandbox/sandbox.js';
import type { Attempt, Escape } from './escapes.js';
import type { World } from './world.js';

/** What is started or loaded later; there is no `.mcp.json` yet. */
const LOADED: readonly string[] = [
  ...['hitl.config.json', 'tools/trusted.mjs', 'AGENTS.md', '.mcp.json', 'scripts/deep/notify.sh'],
  ...['node_modules/hitl', 'nested/.git/hooks', 'nested/.git/config'],
];

/**
 * Tries an escape in a sandbox; without one, where none is given. `reads` and `copy`: as a command that nobody was asked
 * about, which changes nothing or a copy.
 */
export async function attempt(
  world: World,
  escape: Escape,
  made: Bubblewrap | undefined,
  kind: 'asked' | 'reads' | 'copy' = 'asked',
): Promise<Attempt> {
  const { project, home, state, outside, programs } = world;
  const env = {
    PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`,
    PASSED_ON: 'passed on by the person',
    ANTHROPIC_API_KEY: `variable-${world.token}`,
    ...{ HOME: home, TMPDIR: outside, LD_PRELOAD: `${outside}/evil.so`, BASH_ENV: `${outside}/evil.sh` },
  };
  const sandbox = createSandbox(
    {
      ...{ workspace: project, home, env },
      hidden: [state, `${project}/kept/state`],
      readOnly: () => LOADED.map((name) => `${project}/${name}`),
      reads: [`${home}/.added`],
    },
    made === undefined ? 'off' : 'auto',
    async () => {
      if (made === undefined) return { why: 'not asked for' };
      const filter = kind !== 'asked' ? callFilter(process.arch) : undefined;
      return { sandbox: made, ...(filter !== undefined && { filter }) };
    },
  );
  const { signal } = new AbortController();
  const copy =
    kind === 'copy' ? await copyFolder(project, [state, `${project}/kept/state`], signal) : undefined;
  let output = '';
  const notes: string[] = [];
  await runBehindDoor(
    {
      ...{ program: '/bin/bash', args: ['-c', `echo started; ${escape.script(world)}`], cwd: project },
      ...{ network: false, writes: kind !== 'reads', sandbox, timeoutMs: 20_000, clock: systemClock },
      env: commandEnvironment(
        { env, passEnv: ['PASSED_ON'] },
        made === undefined ? 'open' : ({ asked: 'sandbox', reads: 'reading', copy: 'copy' } as const)[kind],
      ),
      ...(copy !== undefined && { copy }),
      onText(text) {
        output += text;
      },
      onNotes: (told) => void notes.push(...told),
    },
    signal,
  );
  if (copy !== undefined) await removeCopy(copy);
  return { output, notes };
}

/** Whether an escape can be tried on this machine. */
export const isFor = ({ needs }: Escape) => needs === undefined || needs === process.arch;
