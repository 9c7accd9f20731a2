import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { systemClock } from '../../../src/library/system-clock.js';
import { runBehindDoor } from '../../../src/tools/builtin/run-behind-door.js';
import type { Sandbox } from '../../../src/tools/sandbox/sandbox.js';
import { layoutOf } from '../../../src/tools/sandbox/mounts.js';
import { systemMounts } from '../../../src/tools/sandbox/system-places.js';
import { kinds } from '../sandbox/kinds.js';
import { tempFolders } from '../temp-folder.js';

type Command = Parameters<Sandbox['wrap']>[0];
type Wrap = (command: Command, attempt: number) => Pick<Command, 'program' | 'args'>;

const folder = tempFolders();
let base: string;
beforeEach(async () => {
  base = (await folder()).path;
  mkdirSync(path.join(base, 'work'));
  mkdirSync(path.join(base, 'other'));
});

/** Runs shell text in `work`; `wrap` is what happens between the look at the world and the start. */
async function run(script: string, wrap: Wrap, wrapped?: Sandbox['wrap']) {
  let output = '';
  const notes: string[] = [];
  let attempts = 0;
  const sandbox: Sandbox = {
    state: async () => ({ type: 'off' }),
    check: async () => {},
    whyNotReading: async () => 'there is none',
    async wrap(command) {
      attempts += 1;
      const made = { ...command, ...wrap(command, attempts) };
      return wrapped === undefined ? { ...made, notes: async () => [`note ${attempts}`] } : wrapped(made);
    },
  };
  const end = await runBehindDoor(
    {
      ...{
        program: '/bin/sh',
        args: ['-c', script],
        cwd: path.join(base, 'work'),
        network: false,
        writes: true,
        sandbox,
      },
      ...{ env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 20_000, clock: systemClock },
      onText(text) {
        output += text;
      },
      onNotes: (told) => void notes.push(...told),
    },
    new AbortController().signal,
  ).catch((error: unknown) => error);
  return { end, output, notes, attempts };
}

const asItIs: Wrap = ({ program, args }) => ({ program, args });
/** Puts a link to another folder in the place of the one that was looked at. */
const exchanged: Wrap = (command) => {
  if (!existsSync(path.join(base, 'before'))) {
    renameSync(path.join(base, 'work'), path.join(base, 'before'));
    symlinkSync('other', path.join(base, 'work'));
  }
  return asItIs(command, 1);
};

describe('a command', () => {
  test('runs in the folder that was looked at, and not in one that was put in its place', async () => {
    expect(await run('echo x > made', exchanged)).toMatchObject({ end: { exitCode: 0 } });
    expect([existsSync(path.join(base, 'before/made')), existsSync(path.join(base, 'other/made'))]).toEqual([
      true,
      false,
    ]);
  });

  test('keeps neither the folder nor the line of its beginning open', async () => {
    // No pipe: a shell that makes one has it open for a moment under the same numbers.
    const { output } = await run('for n in 3 4; do [ -e /proc/$$/fd/$n ] && echo $n; done; echo end', asItIs);
    expect(output).toBe('end\n');
  });

  test('is tried again where what is around it could not be made, and shows nothing of that', async () => {
    const once: Wrap = (command, attempt) =>
      attempt === 1
        ? { program: '/bin/sh', args: ['-c', 'echo no mount; exit 1'] }
        : asItIs(command, attempt);
    expect(await run('echo done; exit 7', once)).toMatchObject({
      ...{ end: { exitCode: 7 }, output: 'done\n', attempts: 2, notes: ['note 1', 'note 2'] },
    });
  });

  test('that failed by itself is not tried again, whatever its status and words', async () => {
    expect(await run('echo bwrap: no mount; exit 125', asItIs)).toMatchObject({
      ...{ end: { exitCode: 125 }, output: 'bwrap: no mount\n', attempts: 1 },
    });
  });

  test('that never began is an error that says why, after three attempts', async () => {
    const never: Wrap = () => ({ program: '/bin/sh', args: ['-c', 'echo no mount; exit 1'] });
    const { end, output, attempts } = await run('echo done', never);
    expect([output, attempts]).toEqual(['', 3]);
    expect(end).toMatchObject({
      code: 'TOOL_FAILED',
      message: 'the command did not start: no mount',
    });
  });

  test('whose folder is gone is an error that names it', async () => {
    renameSync(path.join(base, 'work'), path.join(base, 'before'));
    symlinkSync('other', path.join(base, 'work'));
    expect((await run('echo x > made', asItIs)).end).toMatchObject({
      code: 'TOOL_FAILED',
      message: `${path.join(base, 'work')} now leads to a different location than when it was checked`,
    });
  });

  test.for(kinds)(
    'in a sandbox of $name does not enter the folder that was put there',
    async (tried, task) => {
      const { sandbox, why } = tried;
      if (sandbox === undefined) return task.skip(why);
      const { end } = await run('echo x > made', exchanged, async ({ program, args, cwd, network }) => {
        const layout = layoutOf([...(await systemMounts()), { path: base, kind: 'writable' as const }]);
        const made = await sandbox.wrap({
          layout,
          guarded: [],
          program,
          args,
          cwd,
          network,
          isFiltered: false,
        });
        return { ...made, notes: async () => [] };
      });
      expect(end).toMatchObject({
        message: 'the command did not start: the working directory was replaced by another folder',
      });
      expect(existsSync(path.join(base, 'other/made'))).toBe(false);
    },
  );
});
