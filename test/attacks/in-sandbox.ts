// A command of a model in the sandbox, which was agreed to.
import { spawnSync } from 'node:child_process';

import { premise } from './verdict.js';
import type { World } from './world.js';

/** Runs one approved command in the sandbox, in a project whose configuration is trusted. */
export async function inSandbox(world: World, command: string, ...flags: readonly string[]): Promise<string> {
  const ran = await world.run(
    [
      'chat',
      '--model',
      world.script(
        { tools: [{ name: 'run_command', input: { writes: true, command } }] },
        { tools: [{ name: 'write_file', input: { path: 'x', content: 'y' } }] },
      ),
      '-p',
      'go',
      '--trust',
      '--sandbox',
      'required',
      '--yes',
      'run_command',
      ...flags,
    ],
    { limitMs: 60_000 },
  );
  premise(world.eventsOf(world.session, 'tool-settled').length > 0, `the command did not run: ${ran.stderr}`);
  return ran.stderr;
}

/** True where no sandbox can be had. */
export function withoutSandbox(): boolean {
  return spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status !== 0;
}
