import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test, vi } from 'vitest';

import type { JsonValue } from '../../../src/core/index.js';
import { HitlError, Suspension } from '../../../src/core/index.js';
import { ProgressLines } from '../../../src/tools/builtin/run-command.js';
import { fakeClock } from '../../../src/testing/index.js';
import { parsedBy, runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { approveAndRun, asked, builtin, isRunning } from './builtin.js';

const folder = tempFolders();
const OFF = 'the sandbox is off: can write anywhere, use the network and read hitl’s keys';

interface Output {
  exitCode: number | null;
  signal: string | null;
  output: string;
  omittedCharacters?: number;
  notes?: string[];
}

async function run(input: JsonValue, options = {}, given = {}): Promise<Output> {
  const { path: cwd } = await folder();
  const ran = await approveAndRun(builtin('run_command', cwd, options), input, given);
  return (ran as { output: Output }).output;
}

/** The numbers that a command prints line by line, as soon as there are so many. */
function pids(count: number) {
  const seen: number[] = [];
  let tell: (pids: readonly number[]) => void = () => {};
  const all = new Promise<readonly number[]>((resolve) => {
    tell = resolve;
  });
  return {
    all,
    progress(text: string) {
      seen.push(...text.trim().split(/\s+/).map(Number));
      if (seen.length >= count) tell(seen);
    },
  };
}

describe('the approval of a command', () => {
  test('tells program, folder, environment and time limit', async () => {
    const { path: cwd } = await folder();
    const env = { PATH: '/usr/bin:/bin', HOME: '/home/ann', SECRET: 'x' };
    const program = realpathSync('/usr/bin/env');
    expect(await asked(builtin('run_command', cwd, { env }), { argv: ['env', '-i'] })).toEqual({
      facts: {
        'working directory': cwd,
        program: program === '/usr/bin/env' ? program : `/usr/bin/env → ${program}`,
        sandbox: 'off',
        environment: 'GIT_PAGER GIT_TERMINAL_PROMPT HITL_COMMAND HOME NO_COLOR PAGER PATH TERM',
        'time limit': '120 s',
      },
      warnings: [OFF],
    });
  });

  test('says that shell text cannot be analysed (T6, G35)', async () => {
    const { path: cwd } = await folder();
    expect(await asked(builtin('run_command', cwd), { command: 'ls | sh', timeoutMs: 1500 })).toMatchObject({
      facts: { shell: expect.stringMatching(/sh$/) as string, 'time limit': '1.5 s' },
      warnings: ['Too complex to check. It can do anything you can.', OFF],
    });
  });

  test.for(['git status --short', 'sleep 30', 'npm test -- "a b.js"', "grep -n 'a*b' notes.md"])(
    'says nothing of the shell where a command asks it for nothing: %s',
    async (command) => {
      const { path: cwd } = await folder();
      expect((await asked(builtin('run_command', cwd), { command }))?.warnings).toEqual([OFF]);
    },
  );

  test.for(['echo $HOME', 'A=1 env', 'ls; rm x', 'cat <a', 'ls *', '`ls`', 'ls\nrm x'])(
    'says that it cannot be analysed where the shell does something with it: %j',
    async (command) => {
      const { path: cwd } = await folder();
      expect((await asked(builtin('run_command', cwd), { command }))?.warnings).toHaveLength(2);
    },
  );

  test.for<readonly [readonly string[], string | undefined]>([
    [['cat', 'notes.md'], undefined],
    [['cat', '../outside.txt'], '../outside.txt'],
    [['cat', 'sub/../../outside.txt'], 'sub/../../outside.txt'],
    [['cat', 'a', '.env', '/etc/shadow'], '.env /etc/shadow'],
    [['cat', 'link', 'link/x'], 'link link/x'],
    [['cat', '~/x', '.git/config'], "'~/x' .git/config"],
    [['grep', '--file=../x', '-f../x', '-f/etc/x', '-nf/etc/x'], '--file=../x -f../x -f/etc/x -nf/etc/x'],
    [['git', 'show', 'HEAD:../x', 'HEAD:a/b', 'origin/main', 'a..b'], 'HEAD:../x'],
    [['dd', 'if=/dev/sda', 'of=a'], 'if=/dev/sda'],
    [['git', 'commit', '-m', 'two words, and a/b', 'x'.repeat(300)], undefined],
    [['git', 'commit', '-m', 'see .env', 'a/etc/passwd', 'a/etc/new'], "'see .env' a/etc/passwd a/etc/new"],
    [['node', '-e', 'for (const x of [1, 2]) console.log(x / 2);'], undefined],
    [['sh', '-c', 'cat ../x'], "'cat ../x'"],
    [
      ['sed', 'r.env', 'w../out', 'r/etc/passwd', '1e cat .env', 'notes.md'],
      "r.env w../out r/etc/passwd '1e cat .env'",
    ],
    [['npm', 'test', '--workers=50%', 'v1.2', 'HEAD~3', 'a.b.c', '.'], undefined],
    [['date', '-fl', '-ufl', '-hvfl'], '-fl -ufl -hvfl'],
    [['grep', '-hvfenvlink', '-envlin', '-xvfl/x'], '-hvfenvlink -xvfl/x'],
    [['cc', '-Wl,-Tl', '-Dx=-fl', 'name=<l', '-xvfnotes.md'], "-Wl,-Tl -Dx=-fl 'name=<l'"],
    [['grep', `-${'x'.repeat(2000)}`], `-${'x'.repeat(2000)}`],
  ])(
    'lists arguments that may be paths which nobody reads unasked: %j (adopter 4)',
    async ([argv, listed]) => {
      const { path: cwd } = await folder();
      symlinkSync('/etc', path.join(cwd, 'link'));
      symlinkSync('/etc', path.join(cwd, 'l'));
      symlinkSync('.env', path.join(cwd, 'envlink'));
      const request = await asked(builtin('run_command', cwd), { argv });
      expect(request?.facts?.['paths that need a look']).toBe(listed);
    },
  );

  test('warns of another folder and of a program of the project', async () => {
    const home = await folder();
    await home.write({ 'tool.sh': '#!/bin/sh\necho ran\n' });
    await approveAndRun(builtin('run_command', home.path), { argv: ['chmod', '+x', 'tool.sh'] });
    expect((await asked(builtin('run_command', home.path), { argv: ['./tool.sh'] }))?.warnings).toEqual([
      'runs a program from the working directory',
      OFF,
    ]);
    expect((await asked(builtin('run_command', home.path), { argv: ['ls'], cwd: '/' }))?.warnings).toEqual([
      'runs outside the working directory',
      OFF,
    ]);
  });

  test('never takes a program from a relative folder of the search path', async () => {
    const home = await folder();
    await home.write({ ls: '#!/bin/sh\necho mine\n' });
    await approveAndRun(builtin('run_command', home.path), { argv: ['chmod', '+x', 'ls'] });
    const tool = builtin('run_command', home.path, { env: { PATH: `.::${process.env['PATH'] ?? ''}` } });
    expect(await approveAndRun(tool, { argv: ['ls'] })).toMatchObject({ output: { output: 'ls\n' } });
  });

  test.for([
    [{}, 'pass either `command` or `argv`'],
    [{ command: 'ls', argv: ['ls'] }, 'pass either `command` or `argv`'],
    [{ argv: ['no-such-program'] }, 'program not found: `no-such-program`'],
    [{ command: 'a\0b' }, 'a command must not contain a NUL character'],
    [{ command: 'ls', cwd: 'none' }, 'none is not a folder that a command can run in'],
  ])('is not asked for %j, which cannot run', async ([input, problem]) => {
    const { path: cwd } = await folder();
    const parsed = await parsedBy(builtin('run_command', cwd), input as JsonValue);
    expect(parsed).toEqual({ ok: false, issues: [problem] });
  });

  test('is asked again where the folder leads elsewhere now', async () => {
    const home = await folder();
    await home.write({ 'a/x': '', 'b/y': '' });
    symlinkSync('a', path.join(home.path, 'link'));
    const tool = builtin('run_command', home.path);
    const input = { argv: ['ls'], cwd: 'link' };
    const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
    expect(await runTool(tool, input, { approved: { shown, edited: false } })).toMatchObject({
      output: { output: 'x\n' },
    });
    await approveAndRun(tool, { command: 'rm link; ln -s b link' });
    expect(await runTool(tool, input, { approved: { shown, edited: false } })).toMatchObject({
      interrupt: { facts: { 'working directory': path.join(home.path, 'b') } },
    });
    expect(await runTool(tool, input)).toHaveProperty('interrupt');
  });
});

describe('a command', () => {
  test('gives what it printed on both streams in order, and its exit code', async () => {
    const command = 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; exit 3';
    const output = [1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join('');
    expect(await run({ command })).toEqual({ exitCode: 3, signal: null, output });
  });

  test('runs a program without a shell', async () => {
    expect(await run({ argv: ['printf', '%s|', '$HOME', '*', "a'b", '-n'] })).toEqual({
      exitCode: 0,
      signal: null,
      output: "$HOME|*|a'b|-n|",
    });
  });

  test('tells the signal that ended it', async () => {
    expect(await run({ command: 'kill -9 $$' })).toEqual({ exitCode: null, signal: 'SIGKILL', output: '' });
  });

  test('runs in the folder that was given', async () => {
    const home = await folder();
    await home.write({ 'sub/x': '' });
    expect(
      await approveAndRun(builtin('run_command', home.path), { command: 'pwd', cwd: 'sub' }),
    ).toMatchObject({
      output: { output: `${path.join(home.path, 'sub')}\n` },
    });
  });

  test('gets no input (C3)', async () => {
    expect(await run({ command: 'read line; echo "got <$line> $?"' })).toMatchObject({
      output: 'got <> 1\n',
    });
    expect(await run({ command: 'test -t 0 || test -t 1 || echo no terminal' })).toMatchObject({
      output: 'no terminal\n',
    });
  });

  test('gets an allow-listed environment, and no key (T12, G33)', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: '/home/ann',
      LC_ALL: 'C',
      ANTHROPIC_API_KEY: 'sk-secret',
      AWS_SECRET_ACCESS_KEY: 'x',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: '/evil.so',
      BASH_ENV: '/evil.sh',
      DEPLOY_TARGET: 'staging',
      UNSET: undefined,
    };
    const { output } = await run({ argv: ['env'] }, { env, passEnv: ['DEPLOY_TARGET'] });
    const names = output
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(
      names.filter((name) => name !== '_' && name !== 'PWD' && name !== 'SHLVL' && name !== 'OLDPWD').sort(),
    ).toEqual([
      'DEPLOY_TARGET',
      'GIT_PAGER',
      'GIT_TERMINAL_PROMPT',
      'HITL_COMMAND',
      'HOME',
      'LC_ALL',
      'NO_COLOR',
      'PAGER',
      'PATH',
      'TERM',
    ]);
    expect(output).not.toContain('sk-secret');
  });

  test('keeps head and tail of a long output, and counts what is between', async () => {
    const { output, omittedCharacters } = await run({
      command: 'echo first; yes 0123456789 | head -n 20000; echo last',
    });
    expect(omittedCharacters).toBe(20_000 * 11 + 6 + 5 - 2 * 16_384);
    expect(output).toMatch(/^first\n0123456789\n/);
    expect(output).toMatch(/\n0123456789\nlast\n$/);
    expect(output).toContain(`\n[… ${omittedCharacters!} characters left out …]\n`);
    expect(output.length).toBeLessThan(33_000);
  });

  test('tells of its lines while it runs, not of each where they flood', async () => {
    const lines: string[] = [];
    await run(
      { command: 'printf "one\\n"; yes | head -n 50000' },
      {},
      { progress: (line: string) => lines.push(line) },
    );
    expect(lines[0]).toMatch(/^(one|y)$/);
    expect(lines.length).toBeLessThan(50);
  });

  test('tells nothing of a private key, and of a long line enough to know its secrets', async () => {
    const lines: string[] = [];
    const clock = fakeClock();
    const progress = new ProgressLines(clock, (line) => {
      lines.push(line);
    });
    for (const text of [
      'one\n-----BEGIN RSA PRIVATE KEY-----\n',
      'MIIEpAIBAAKCAQEA\n',
      '-----END RSA PRIVATE KEY-----\ntwo\n',
      `${'x'.repeat(190)} sk-ant-`,
      'api03-0123456789abcdefghij\n',
    ]) {
      progress.push(text);
      await clock.advance(1000);
    }
    expect(lines).toEqual(['one', 'two', `${'x'.repeat(190)} sk-ant-api03-0123456789abcdefghij`]);
  });

  test('tells its last five lines at once, and of what comes too soon the last five when it is time', async () => {
    const clock = fakeClock();
    const lines: string[] = [];
    const progress = new ProgressLines(clock, (line) => {
      lines.push(line);
    });
    const count = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n\n`).join('');
    progress.push(count(1, 7));
    progress.push(count(8, 9));
    progress.push(count(10, 14));
    expect(lines).toEqual(['3', '4', '5', '6', '7']);
    await clock.advance(99);
    expect(lines).toHaveLength(5);
    await clock.advance(1);
    expect(lines.slice(5)).toEqual(['10', '11', '12', '13', '14']);
    progress.push('15\n');
    progress.end();
    await clock.advance(1000);
    expect(lines).toHaveLength(10);
  });

  test('gets no file that whoever started the program had left open (C3)', async () => {
    const { path: left } = await folder();
    const script = `
      const { runGroup } = await import(${JSON.stringify(path.resolve('src/tools/builtin/process-group.ts'))});
      const { systemClock } = await import(${JSON.stringify(path.resolve('src/library/system-clock.ts'))});
      const { readlinkSync } = await import('node:fs');
      console.log(readlinkSync('/proc/self/fd/30'));
      await runGroup({
        program: '/bin/sh',
        args: ['-c', 'cd /proc/$$/fd && for file in *; do [ -L "$file" ] && printf "%s " "$file" && readlink "$file"; done'],
        cwd: '/', env: { PATH: process.env.PATH }, timeoutMs: 10_000, clock: systemClock,
        onText: (text) => process.stdout.write(text),
      }, new AbortController().signal);`;
    const handle = await open(left);
    try {
      const ignored = Array.from({ length: 29 }, () => 'ignore' as const);
      const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit', ...ignored.slice(2), handle.fd],
      });
      const [inherited, ...files] = String(child.stdout).trim().split('\n');
      expect(inherited).toBe(realpathSync(left));
      expect(files).toContain('30 /dev/null');
      expect(files.filter((line) => Number.parseInt(line, 10) > 2 && !line.endsWith(' /dev/null'))).toEqual(
        [],
      );
    } finally {
      await handle.close();
    }
  });

  test('puts characters together that arrive in pieces', async () => {
    expect(await run({ command: "printf '\\303'; sleep 0.05; printf '\\251'" })).toMatchObject({
      output: 'é',
    });
  });

  test('does not run after the run was stopped', async () => {
    const home = await folder();
    const signal = AbortSignal.abort(new Error('stopped'));
    const tool = builtin('run_command', home.path);
    await expect(approveAndRun(tool, { command: 'touch made' }, { signal })).rejects.toThrow('stopped');
    expect(existsSync(path.join(home.path, 'made'))).toBe(false);
  });
});

describe('a command with children', () => {
  const family = 'sleep 1000 & echo $$ $!; wait';

  test('is ended with all of them when the run is stopped (C1)', async () => {
    const stop = new AbortController();
    const seen = pids(2);
    const ran = run({ command: family }, {}, { signal: stop.signal, progress: seen.progress });
    const running = await seen.all;
    expect(running.map(isRunning)).toEqual([true, true]);
    stop.abort(new Error('stopped'));
    await ran;
    await vi.waitFor(() => {
      expect(running.map(isRunning)).toEqual([false, false]);
    });
  });

  test.for([
    [6000, 'stopped by the user after 6 s'],
    [300, 'stopped by the user at once'],
  ] as const)(
    'that a person stops after %i ms gives what it had printed, and how long it ran',
    async ([ms, note]) => {
      const stop = new AbortController();
      const clock = fakeClock();
      let told = (): void => undefined;
      const printed = new Promise<void>((resolve) => {
        told = resolve;
      });
      const command = String.raw`env printf 'one\ntwo\n'; sleep 1000`;
      const ran = run(
        { command },
        { clock },
        {
          signal: stop.signal,
          progress: () => {
            told();
          },
        },
      );
      await printed;
      await clock.advance(ms);
      stop.abort(new DOMException('stopped by the user', 'AbortError'));
      expect(await ran).toEqual({
        exitCode: null,
        signal: 'SIGTERM',
        output: 'one\ntwo\n',
        notes: [note],
      });
    },
  );

  test.for([
    ['the program leaves', new Suspension('left')],
    ['its time is up', new HitlError('ABORTED', 'no result within 5 ms', { detail: { timeoutMs: 5 } })],
  ] as const)('gives nothing where %s: whoever runs it knows what to make of that', async ([, reason]) => {
    const stop = new AbortController();
    const seen = pids(2);
    const ran = run({ command: family }, {}, { signal: stop.signal, progress: seen.progress });
    const failed = expect(ran).rejects.toBe(reason);
    await seen.all;
    stop.abort(reason);
    await failed;
  });

  test('is ended with all of them at its time limit, also where they do not listen', async () => {
    const seen = pids(2);
    const clock = fakeClock();
    const deaf = `trap '' TERM; (while :; do sleep 1000; done) & echo $$ $!; wait`;
    const ran = run({ command: deaf, timeoutMs: 60_000 }, { clock }, { progress: seen.progress });
    const running = await seen.all;
    await clock.untilSleeping();
    await clock.advance(60_000);
    await clock.untilSleeping();
    expect(running.map(isRunning)).toEqual([true, true]);
    await clock.advance(500);
    expect(await ran).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      notes: ['stopped after its time limit of 60000 ms'],
    });
    await vi.waitFor(() => {
      expect(running.map(isRunning)).toEqual([false, false]);
    });
  });

  test('that left its group is told of, with where to find it', async () => {
    const { output, notes } = await run({
      command: 'setsid sleep 1000 > /dev/null 2>&1 & sleep 0.2; echo $!',
    });
    const pid = Number(output);
    expect([isRunning(pid), notes]).toEqual([true, [`it left processes running: sleep (${pid})`]]);
    process.kill(pid, 'SIGKILL');
  });

  test('leaves none of them behind when it ends, and says so', async () => {
    const { output, notes, exitCode } = await run({ command: 'sleep 1000 & echo $!' });
    expect([exitCode, notes]).toEqual([0, ['processes it left running were stopped']]);
    await vi.waitFor(() => {
      expect(isRunning(Number(output))).toBe(false);
    });
  });
});
