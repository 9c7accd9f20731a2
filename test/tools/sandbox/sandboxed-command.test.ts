import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { systemClock } from '../../../src/library/system-clock.js';
import { sha256 } from '../../../src/core/index.js';
import { runGroup } from '../../../src/tools/builtin/process-group.js';
import { runBehindDoor } from '../../../src/tools/builtin/run-behind-door.js';
import { callFilter } from '../../../src/tools/sandbox/call-filter.js';
import type { Detected } from '../../../src/tools/sandbox/sandbox.js';
import type { Bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { createSandbox } from '../../../src/tools/sandbox/sandbox.js';
import { approveAndRun, asked, builtin } from '../builtin/builtin.js';
import { runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { kinds } from './kinds.js';
import type { World } from './world.js';
import { createWorld, processesNamed } from './world.js';

const SLOW = { timeout: 30_000 };
const folder = tempFolders();
const any = kinds.find(({ sandbox }) => sandbox !== undefined);

async function run(
  made: Bubblewrap,
  world: World,
  script: string,
  given: { network?: boolean; writes?: boolean; timeoutMs?: number } = {},
) {
  const { project: cwd, home, state } = world;
  const { network = false, writes = true, timeoutMs = 20_000 } = given;
  const around = {
    workspace: cwd,
    home,
    env: {},
    hidden: [state],
    readOnly: () => [`${cwd}/hitl.config.json`, `${cwd}/.mcp.json`],
    reads: [],
  };
  const sandbox = createSandbox(around, 'required', async () => {
    const filter = callFilter(process.arch);
    return { sandbox: made, ...(filter !== undefined && { filter }) };
  });
  let output = '';
  const notes: string[] = [];
  const end = await runBehindDoor(
    {
      ...{ program: '/bin/bash', args: ['-c', script], cwd, network, writes, sandbox, timeoutMs },
      ...{ env: { PATH: process.env['PATH'] ?? '', HOME: home }, clock: systemClock },
      onText(text) {
        output += text;
      },
      onNotes: (told) => void notes.push(...told),
    },
    new AbortController().signal,
  );
  return { end, output, notes };
}

describe.for(kinds)('a command in the sandbox, by $name', SLOW, ({ sandbox: made, why }) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  test('does its work: writes in its folder and in a temporary one, and commits', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const { end, output } = await run(
      made,
      world,
      `echo data > made && cp made /tmp && cat /tmp/made && git add made &&
       git -c user.name=a -c user.email=a@b commit --quiet --message one && git log --format=%s && id -u && exit 7`,
    );
    expect([end.exitCode, output]).toEqual([7, `data\none\n${process.getuid?.() ?? 0}\n`]);
    expect(existsSync(path.join(world.project, 'made'))).toBe(true);
  });

  test('reaches the network where that was agreed to', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const server = createServer((socket) => {
      socket.end('hello\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    expect((await run(made, world, script, { network: true })).output).toBe('hello\n');
    expect((await run(made, world, script)).output).toMatch(/refused|unreachable/);
    server.close();
  });

  test('is asked to end at its time limit before it is made to', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const script = `trap 'echo cleaned; exit 5' TERM; echo ready; sleep 20 & while :; do wait; done`;
    const { end, output } = await run(made, world, script, { timeoutMs: 1_000 });
    expect([end.timedOut, output]).toEqual([true, 'ready\ncleaned\n']);
  });

  test('does not change what is loaded later, and what it makes in its place is moved aside', async ({
    skip,
  }) => {
    if (made === undefined) return skip(why);
    const script =
      'rm hitl.config.json; echo {} > hitl.config.json; echo > .git/commondir; echo {} > .mcp.json; cat hitl.config.json';
    const { notes, output } = await run(made, world, script);
    expect(notes).toEqual([
      '`.mcp.json` was made and was moved to `.mcp.json.set-aside`, because programs could load it later',
      '`.git/commondir` was made and was moved to `.git/commondir.set-aside`, because programs could load it later',
    ]);
    expect(output).toMatch(/Read-only file system[^]*\{\}$/);
    expect(existsSync(path.join(world.project, '.mcp.json'))).toBe(false);
  });

  test('that only reads writes nowhere but to folders of its own', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const script =
      'echo x > made; echo x > /made && echo evil; echo x > AGENTS.md; echo x > /tmp/own && echo x > ~/own && git status --short AGENTS.md && cat AGENTS.md';
    const { output, notes } = await run(made, world, script, { writes: false });
    expect(output).not.toContain('evil');
    expect([output.split('\n').slice(-2), notes]).toEqual([['?? AGENTS.md', 'as it was'], []]);
    expect(existsSync(path.join(world.project, 'made'))).toBe(false);
  });

  test('ends with the program that started it, however that ends', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const seconds = `2000.${parseInt(world.token.slice(0, 8), 16)}`;
    const sandbox = createSandbox(
      { workspace: world.project, home: world.home, env: {}, hidden: [], readOnly: () => [], reads: [] },
      'required',
      async () => ({ sandbox: made }),
    );
    const command = {
      program: '/bin/sleep',
      args: [seconds],
      cwd: world.project,
      network: false,
      writes: true,
    };
    const { program, args } = await sandbox.wrap(command);
    const starter = `require('child_process').spawn(process.argv[1], process.argv.slice(2), { detached: true }); setInterval(() => {}, 1000)`;
    const parent = spawn(process.execPath, ['-e', starter, program, ...args], { stdio: 'ignore' });
    await vi.waitFor(async () => {
      expect(await processesNamed(seconds, '/bin/sleep')).not.toEqual([]);
    }, 10_000);
    parent.kill('SIGKILL');
    await vi.waitFor(async () => {
      expect(await processesNamed(seconds)).toEqual([]);
    }, 10_000);
  });

  test('starts in at most 150 ms more than without', async ({ skip }) => {
    if (made === undefined) return skip(why);
    const times = { inside: [] as number[], outside: [] as number[] };
    const timed = async (into: number[], started: () => Promise<unknown>) => {
      const since = performance.now();
      await started();
      into.push(performance.now() - since);
    };
    const plain = { program: '/bin/true', args: [], cwd: world.project, env: {}, timeoutMs: 20_000 };
    // The least of each: a busy machine makes some slower, none faster. It is tried until a quiet moment was among them.
    const more = () => Math.min(...times.inside) - Math.min(...times.outside);
    for (let round = 0; round < 7 || (round < 100 && more() >= 150); round += 1) {
      await timed(times.inside, () => run(made, world, 'exec true'));
      await timed(times.outside, () =>
        runGroup({ ...plain, clock: systemClock, onText: () => {} }, new AbortController().signal),
      );
    }
    expect(more()).toBeLessThan(150);
  });
});

describe('the approval of a command in a sandbox', () => {
  const on = { mode: 'auto' as const };

  test('says what the command may do', async ({ skip }) => {
    if (any?.sandbox === undefined) return skip('there is no sandbox here');
    const { path: cwd } = await folder();
    const env = { PATH: '/usr/bin:/bin' };
    const tool = builtin('run_command', cwd, { env, sandbox: on });
    expect(await asked(tool, { command: 'ls | wc -l', writes: true })).toEqual({
      facts: {
        'working directory': cwd,
        shell: expect.stringMatching(/sh$/) as string,
        sandbox: 'can write in this folder, no network',
        environment: 'GIT_PAGER GIT_TERMINAL_PROMPT NO_COLOR PAGER PATH TERM TMPDIR XDG_CACHE_HOME',
        'time limit': '120 s',
      },
      warnings: ['Too complex to check. It can do anything the sandbox allows.'],
    });
    expect(await asked(tool, { argv: ['ls'], network: true })).toMatchObject({
      facts: { sandbox: 'can write in this folder, network access' },
      warnings: ['can use the network and send out what it reads'],
    });
  });

  test('is not asked for where the sandbox would show too much, or not the program', async ({ skip }) => {
    if (any?.sandbox === undefined) return skip('there is no sandbox here');
    const home = await folder();
    await home.write({ 'own/tool': '#!/bin/sh\n', 'project/file': '' });
    chmodSync(`${home.path}/own/tool`, 0o755);
    const given = { env: { PATH: '/usr/bin:/bin' }, home: home.path };
    const atHome = builtin('run_command', home.path, { ...given, sandbox: on });
    await expect(asked(atHome, { argv: ['ls'] })).rejects.toThrow(
      `sandboxed commands cannot run in ${home.path}: it is your home directory`,
    );
    const tool = `${home.path}/own/tool`;
    const unseen = builtin('run_command', `${home.path}/project`, { ...given, sandbox: on });
    await expect(asked(unseen, { argv: [tool] })).rejects.toThrow(
      `sandboxed commands cannot see ${tool}: add its folder to \`sandboxReads\` in your configuration`,
    );
    const reads = [`${home.path}/own`];
    const seen = builtin('run_command', `${home.path}/project`, { ...given, sandbox: { ...on, reads } });
    expect(await approveAndRun(seen, { argv: [tool] })).toMatchObject({ output: { exitCode: 0 } });
  });

  test('is for the network that was shown', async ({ skip }) => {
    if (any?.sandbox === undefined) return skip('there is no sandbox here');
    const { path: cwd } = await folder();
    const tool = builtin('run_command', cwd, { sandbox: on });
    const shown = JSON.parse(JSON.stringify(await asked(tool, { argv: ['true'], writes: true }))) as never;
    expect(
      await runTool(
        tool,
        { argv: ['true'], writes: true, network: true },
        { approved: { shown, edited: false } },
      ),
    ).toMatchObject({ interrupt: { facts: { sandbox: 'can write in this folder, network access' } } });
  });

  test('is for the program as it was, where that lies in the working directory', async () => {
    const home = await folder();
    const content = '#!/bin/sh\necho one\n';
    await home.write({ 'bin/tool': content });
    const tool = builtin('run_command', home.path, { env: { PATH: `${home.path}/bin:bin::/usr/bin:/bin` } });
    await approveAndRun(tool, { argv: ['chmod', '+x', 'bin/tool'] });
    const request = await asked(tool, { argv: ['tool'] });
    expect(request).toMatchObject({
      facts: {
        program: `${home.path}/bin/tool`,
        'program of the working directory': `sha256 ${sha256(content)}`,
        'search path of the working directory': `${home.path}/bin`,
      },
    });
    expect(request?.warnings?.slice(0, 2)).toEqual([
      'runs a program from the working directory',
      'the search path leads into the working directory',
    ]);
    await home.write({ 'bin/tool': '#!/bin/sh\necho two\n' });
    const shown = JSON.parse(JSON.stringify(request)) as never;
    expect(await runTool(tool, { argv: ['tool'] }, { approved: { shown, edited: false } })).toHaveProperty(
      'interrupt',
    );
    expect(await approveAndRun(tool, { command: 'echo "$PATH"' })).toMatchObject({
      output: { output: `${home.path}/bin:/usr/bin:/bin\n` },
    });
  });
});

describe('a command that asks for no more than to read', SLOW, () => {
  const on = { mode: 'auto' as const };
  const holds = kinds[0]?.sandbox !== undefined && callFilter(process.arch) !== undefined;

  test('runs without a question where it can change and send nothing (A1)', async ({ skip }) => {
    if (!holds) return skip('there is no sandbox here');
    const home = await folder();
    await home.write({ 'notes.txt': 'as it was\n', '.env': 'KEY=secret\n', 'deep/id_rsa': 'secret\n' });
    const env = { PATH: '/usr/bin:/bin', TOKEN: 'secret' };
    const reads = [`${home.path}-added`];
    const tool = builtin('run_command', home.path, { env, passEnv: ['TOKEN'], sandbox: { ...on, reads } });
    const command = 'cat notes.txt .env deep/id_rsa; echo "$TOKEN"; rm -rf notes.txt; echo x > made';
    expect(await asked(tool, { command })).toBeUndefined();
    const ran = await runTool(tool, { command });
    expect(ran).toEqual({
      output: {
        exitCode: 1,
        signal: null,
        output: expect.stringMatching(
          /^as it was\n(cat: .*: Permission denied\n){2}\nrm: cannot remove 'notes.txt': Read-only/,
        ) as string,
        notes: ['ran read-only: if that is why it failed, call it again with `writes: true` to ask the user'],
      },
    });
    expect(existsSync(path.join(home.path, 'made'))).toBe(false);
  });

  test('tells what it lacked, and nothing where it failed for another reason', async ({ skip }) => {
    if (!holds) return skip('there is no sandbox here');
    const { path: cwd } = await folder();
    const tool = builtin('run_command', cwd, { sandbox: on });
    const notesOf = async (command: string) => {
      const ran = await runTool(tool, { command });
      return 'output' in ran ? (ran.output as { notes?: string[] }).notes : ran;
    };
    expect(await notesOf('exit 3')).toBeUndefined();
    expect(await notesOf('touch made || true')).toBeUndefined();
    expect(
      await notesOf('getent hosts localhost.example || { echo "Could not resolve host"; exit 6; }'),
    ).toEqual([expect.stringContaining('`network: true`')]);
  });

  test('says its effect, and what it may do, to rules and after a crash', async ({ skip }) => {
    if (!holds) return skip('there is no sandbox here');
    const { path: cwd } = await folder();
    const tool = builtin('run_command', cwd, { sandbox: on });
    const { signal } = new AbortController();
    const whole = { argv: ['ls'], cwd: '.', timeoutMs: 1000, writes: false, network: false };
    expect(await tool.effectOf?.(whole, signal)).toBe('none');
    expect(await tool.facts?.(whole, signal)).toMatchObject({ sandbox: 'changes nothing, no network' });
    const beside = (await folder()).path;
    for (const more of [{ writes: true }, { network: true }, { cwd: beside }])
      expect(await tool.effectOf?.({ ...whole, ...more }, signal)).toBe('once');
  });

  test.for([{ writes: true }, { network: true }])('is asked about with %j', async (more, { skip }) => {
    if (!holds) return skip('there is no sandbox here');
    const { path: cwd } = await folder();
    const tool = builtin('run_command', cwd, { sandbox: on });
    expect(await asked(tool, { argv: ['ls'], ...more })).toBeDefined();
    expect(await runTool(tool, { argv: ['ls'], ...more })).toHaveProperty('interrupt');
  });

  test('is asked about without a sandbox, and does not run', async () => {
    const { path: cwd } = await folder();
    const tool = builtin('run_command', cwd);
    expect(await asked(tool, { argv: ['ls'] })).toBeDefined();
    expect(await runTool(tool, { argv: ['ls'] })).toHaveProperty('interrupt');
  });

  test('never runs where it cannot be held, whoever asks the sandbox for it', async () => {
    const around = {
      workspace: '/nowhere',
      home: '/home/x',
      env: {},
      hidden: [],
      readOnly: () => [],
      reads: [],
    };
    const command = { program: '/bin/ls', args: [], cwd: '/nowhere', network: false, writes: false };
    const made: Bubblewrap = { wrap: async ({ program, args }) => ({ program, args }) };
    const sandboxes = [
      createSandbox(around, 'off'),
      createSandbox(around, 'auto', async () => ({ why: 'it is only a test' })),
      createSandbox(around, 'auto', async () => ({ sandbox: made })),
    ];
    for (const sandbox of sandboxes) {
      expect(await sandbox.whyNotReading('/nowhere', '/bin/ls')).toBeDefined();
      await expect(sandbox.wrap(command)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    }
    const held = createSandbox(around, 'auto', async () => ({ sandbox: made, filter: new Uint8Array() }));
    await expect(held.wrap({ ...command, network: true })).rejects.toThrow(
      'read-only commands have no network',
    );
  });
});

describe('a sandbox that is not there', () => {
  const nothing = async (): Promise<Detected> => ({ why: 'it is only a test' });
  const around = {
    workspace: '/nowhere',
    home: '/home/ann',
    env: {},
    hidden: [],
    readOnly: () => [],
    reads: [],
  };

  test('is looked for once', async () => {
    const detect = vi.fn(nothing);
    const sandbox = createSandbox(around, 'auto', detect);
    await Promise.all([
      sandbox.state(),
      sandbox.state(),
      sandbox.wrap({ program: 'a', args: [], cwd: '/', network: false, writes: true }),
    ]);
    expect(detect).toHaveBeenCalledTimes(1);
    expect(await sandbox.state()).toEqual({ type: 'missing', why: 'it is only a test', required: false });
  });

  test('is not looked for where it is off', async () => {
    const detect = vi.fn(nothing);
    const sandbox = createSandbox(around, 'off', detect);
    expect(await sandbox.state()).toEqual({ type: 'off' });
    expect(detect).not.toHaveBeenCalled();
  });

  test('lets nothing run where it is required', async () => {
    const sandbox = createSandbox(around, 'required', nothing);
    expect(await sandbox.state()).toEqual({ type: 'missing', why: 'it is only a test', required: true });
    await expect(
      sandbox.wrap({ program: 'a', args: [], cwd: '/', network: false, writes: true }),
    ).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: 'a sandbox is required but not available: it is only a test',
    });
  });
});
