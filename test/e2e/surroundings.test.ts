import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

/** Runs the program through a shell, in a home of its own; `"$@"` in the script is the program. */
function inShell(home: Home, script: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', script, 'sh', process.execPath, PROGRAM, ...args],
    { cwd: home.work, env: { ...home.env, ...env }, encoding: 'utf8', input: '' },
  );
  return { status, stdout, stderr };
}

const SAY = ['chat', '-p', 'hi'];

describe('what surrounds the program', () => {
  test('a folder as stdin is told, and is no input that has ended', () => {
    using home = new Home();
    expect(inShell(home, '"$@" < /', ['chat'])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'error: stdin is a folder\nhint: pipe a file in, or < /dev/null\n',
    });
    expect(inShell(home, '"$@" < /', ['list']).status).toBe(0);
  });

  test.for([
    ['empty', ''],
    ['longer than the system takes', `/${'h'.repeat(4_200)}`],
  ])('a HOME that is %s is nobody’s home: nothing is written into the working directory', ([, HOME = '']) => {
    using home = new Home();
    const { status, stderr } = inShell(home, '"$@"', SAY, { HOME, HITL_HOME: '' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'error: no home folder found for sessions and configuration\nhint: set HOME or HITL_HOME to a folder you own\n',
    });
    expect(existsSync(join(home.work, '.local'))).toBe(false);
    expect(inShell(home, '"$@"', SAY, { HOME }).status).toBe(0);
  });

  test('an empty --sessions is no name of a folder', () => {
    using home = new Home();
    const { status, stderr } = inShell(home, '"$@"', [...SAY, '--sessions', '']);
    expect([status, stderr.includes('must name a folder')]).toEqual([2, true]);
    expect(home.ids()).toEqual([]);
  });

  test('too few open files are no bug', () => {
    using home = new Home();
    const { status, stderr } = inShell(home, 'ulimit -n 20; exec "$@"', SAY);
    expect(status).toBe(6);
    expect(stderr).toMatch(/^error: .*too many open files.*\nhint: raise the limit \(`ulimit -n`\)/mu);
  });

  test('`chat -p` with nothing to say says so', () => {
    using home = new Home();
    expect(inShell(home, '"$@"', ['chat', '-p'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('error: no message: stdin is empty\n') as string,
    });
    expect(home.ids()).toEqual([]);
  });
});
