import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

const SESSIONS = 1000;
const ROUNDS = 9;

/** Modules of Node that take a millisecond or more to load. */
const SLOW = /^NativeModule (crypto|fs\/promises|https?|timers\/promises|tls|zlib)$/u;

/** A home with a thousand sessions. */
const home = new Home();
const counter = join(home.path, 'counter.mjs');

beforeAll(async () => {
  await home.run(['chat', '-p', 'hello']);
  const { id } = home;
  for (let count = 1; count < SESSIONS; count += 1) {
    const other = id.slice(0, -4) + count.toString().padStart(4, '0');
    cpSync(join(home.sessions, id), join(home.sessions, other), { recursive: true });
  }
  // Says at the end how much processor time the process has used, in microseconds.
  writeFileSync(
    counter,
    `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write('\\nCPU ' + (user + system));
});`,
  );
});
afterAll(() => {
  home[Symbol.dispose]();
});

function start(module: string, args: readonly string[]) {
  return spawnSync(process.execPath, ['--import', module, ...args], {
    env: home.env,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
}

/** Processor time, which other processes on the machine change less than the time on the wall. */
function cost(args: readonly string[]): number {
  return Number(/CPU (\d+)$/u.exec(start(counter, args).stderr)?.[1]);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Infinity;
}

/** Looks at each journal, and does nothing else: nobody can list sessions with less. */
const LOOK = `const { lstatSync, readdirSync } = require('node:fs');
const folder = process.argv[1];
for (const id of readdirSync(folder)) lstatSync(folder + '/' + id, { throwIfNoEntry: false });`;

/** What a command loads: packages, and modules of Node, by their names. */
function loadedFor(command: readonly string[]) {
  const hook = join(home.path, 'loaded.cjs');
  const loaded = join(home.path, 'loaded.json');
  writeFileSync(
    hook,
    `process.on('exit', () => {
  const all = { files: Object.keys(require.cache), builtins: process.moduleLoadList };
  require('node:fs').writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(all));
});`,
  );
  const args = ['--require', hook, PROGRAM, ...command];
  spawnSync(process.execPath, args, { env: home.env, input: '' });
  const { files, builtins } = JSON.parse(readFileSync(loaded, 'utf8')) as Record<string, string[]>;
  const found = (names: readonly string[] = [], pattern: RegExp) =>
    names.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort();
  return {
    packages: found(files, /\/(?:dist\/packages|node_modules)\/(.+?)\.all\.js$/u),
    builtins: found(builtins, SLOW),
  };
}

/** True where a command loads the client of servers, an ES module that no bundle holds. */
function loadsServerClient(command: readonly string[]): boolean {
  const folder = join(home.path, `ran-${command.join('-')}`);
  const env = { ...home.env, NODE_V8_COVERAGE: folder };
  spawnSync(process.execPath, [PROGRAM, ...command], { env });
  const [report = ''] = readdirSync(folder);
  return readFileSync(join(folder, report), 'utf8').includes('node_modules/@modelcontextprotocol/client/');
}

/** How many times as much as a floor a command costs; runs take turns, so that both see the same machine. */
function timesFloor(command: string, floor: readonly string[]): number {
  cost([PROGRAM, command]);
  const runs = Array.from({ length: ROUNDS }, () => [cost(floor), cost([PROGRAM, command])] as const);
  return median(runs.map(([, ours]) => ours)) / median(runs.map(([least]) => least));
}

// Wide enough for a busy machine: a library that is loaded by mistake costs more than that.
test.for([
  ['--version', 3.2, 'an empty program', ['-e', '0']],
  ['--help', 3.6, 'an empty program', ['-e', '0']],
  ['list', 4, 'looking at each session', ['-e', LOOK, home.sessions]],
] as const)('%s costs at most %d times %s', { retry: 3 }, ([command, most, , floor]) => {
  expect(timesFloor(command, floor)).toBeLessThan(most);
});

describe('the code that is loaded', () => {
  test.for([
    [['--version'], ['commander'], []],
    [['--help'], ['commander'], []],
    [['list'], ['commander'], ['zlib']],
    [['inbox'], ['commander'], ['zlib']],
    [['answer', '0', 'y'], ['commander'], []],
    [['resume', '0'], ['commander'], []],
    [['chat', '--help'], ['commander'], []],
    [
      ['chat', '--no-save', '-p', 'hello'],
      ['commander', 'zod'],
      ['crypto', 'fs/promises', 'zlib'],
    ],
  ] as const)('for %j is of packages %j, and of Node %j', ([command, packages, builtins]) => {
    expect(loadedFor(command)).toEqual({ packages, builtins });
  });

  test('for a server of the Model Context Protocol is its client, and for nothing else', () => {
    const tools = ['tools', '--model', 'demo'];
    const withServer = [...tools, '--mcp', 'no-such-program'];
    expect([loadsServerClient(tools), loadsServerClient(withServer)]).toEqual([false, true]);
  });
});

test('a list of a thousand sessions has them all', () => {
  const { stdout } = start(counter, [PROGRAM, 'list', '--json', '--all']);
  expect(JSON.parse(stdout)).toHaveLength(SESSIONS);
});
