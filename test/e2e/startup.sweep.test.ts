import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

const SESSIONS = 1000;
const ROUNDS = 9;

/** Words that only the code of these packages holds. */
const MARKS = {
  '@anthropic-ai/sdk': 'X-Stainless-Lang',
  '@inquirer/prompts': 'ExitPromptError',
  zod: '_zod',
  marked: 'blockquote',
  ora: 'hideCursor',
} as const;

/** Modules of Node that take a millisecond or more to load. */
const SLOW = new Set(['node:crypto', 'node:child_process', 'node:fs/promises', 'node:timers/promises']);

/** A home with a thousand sessions. */
const home = new Home();
const counter = join(home.path, 'counter.mjs');
const logger = join(home.path, 'logger.mjs');
const loaded = join(home.path, 'loaded.txt');

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
  const hooks = `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(loaded)}, url + '\\n');
  return next(url, context);
}`;
  writeFileSync(
    logger,
    `import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
const { cache } = createRequire(import.meta.url);
const own = process.moduleLoadList.length;
process.on('exit', () => {
  const required = Object.keys(cache).map((file) => pathToFileURL(file).href);
  const ofNode = process.moduleLoadList.slice(own).map((name) => name.replace('NativeModule ', 'node:'));
  appendFileSync(${JSON.stringify(loaded)}, [...required, ...ofNode, ''].join('\\n'));
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

/** The files of the program that a command loads, and the packages in them whose code runs. */
function ranFor(command: readonly string[]) {
  const folder = join(home.path, `ran-${command.join('-')}`);
  const env = { ...home.env, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  spawnSync(process.execPath, [PROGRAM, ...command], { env });
  const [report = ''] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, report), 'utf8')) as {
    result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
  };
  return result
    .filter(({ url }) => url.includes('/dist/bin/'))
    .map(({ url, functions }) => ({
      name: basename(url),
      packages: functions
        .filter(
          ({ functionName, ranges: [whole] }) => functionName.startsWith('entry:') && whole?.count === 1,
        )
        .map(({ functionName }) => functionName.slice('entry:'.length)),
    }));
}

/** How many times as much as a floor a command costs; runs take turns, so that both see the same machine. */
function timesFloor(command: string, floor: readonly string[]): number {
  cost([PROGRAM, command]);
  const runs = Array.from({ length: ROUNDS }, () => [cost(floor), cost([PROGRAM, command])] as const);
  return median(runs.map(([, ours]) => ours)) / median(runs.map(([least]) => least));
}

// Wide enough for a busy machine: a library that is loaded by mistake costs more than that.
test.for([
  ['--version', 1.4, 'an empty program', ['-e', '0']],
  ['--help', 1.4, 'an empty program', ['-e', '0']],
  ['list', 3.2, 'looking at each session', ['-e', LOOK, home.sessions]],
] as const)('%s costs at most %d times %s', { retry: 3 }, ([command, most, , floor]) => {
  expect(timesFloor(command, floor)).toBeLessThan(most);
});

/** The client of servers, which is no part of the bundle. */
const SERVER_SDK = '@modelcontextprotocol/client';

describe('the code that is loaded', () => {
  test.for(Object.entries(MARKS))('%s is somewhere, known by `%s`', ([, mark]) => {
    const folder = dirname(PROGRAM);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('js'),
    );
    const found = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes(mark));
    expect(found).not.toEqual([]);
  });

  test.for([
    [['--version'], ['hitl.js']],
    [['--help'], ['hitl.js']],
    [[], ['hitl.js']],
    [['list'], ['hitl.js', 'list.js']],
    [
      ['ls', '--json'],
      ['hitl.js', 'list.js'],
    ],
  ] as const)('for %j is %j, without SDK, prompt, schema or markdown library', ([command, expected]) => {
    const urls = loadedFor(command);
    const files = urls
      .filter((url) => url.startsWith('file:'))
      .map((url) => fileURLToPath(url))
      .filter((file) => file.startsWith(dirname(PROGRAM)));
    expect(files.map((file) => basename(file)).sort()).toEqual(expected);
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    expect(Object.entries(MARKS).filter(([, mark]) => texts.some((text) => text.includes(mark)))).toEqual([]);
    expect(urls.filter((url) => SLOW.has(url))).toEqual([]);
    expect(urls.filter((url) => url.includes(SERVER_SDK))).toEqual([]);
  });

  test.for([
    [['chat', '--help'], 'talk.js', ['commander']],
    [['inbox'], 'inbox.js', []],
    [['answer', '0', 'y'], 'answer.js', []],
    [['chat', '--no-save', '-p', 'hello'], 'talk.js', ['commander']],
    [['tools'], 'all.js', ['commander']],
  ] as const)('for %j is in %s, and of packages runs %j', ([command, file, packages]) => {
    const ran = ranFor(command);
    expect(ran.map(({ name }) => name)).toEqual(['hitl.js', file]);
    expect(ran.flatMap((one) => one.packages)).toEqual(packages);
  });

  test.for([
    [['inbox'], ['net', 'zlib']],
    [['answer', '0', 'y'], ['net']],
    [['chat', '--help'], ['net']],
  ] as const)('of Node for %j is %j, of which `net` opens a pipe', ([command, expected]) => {
    const list = `process.on('exit', () => {
      require('node:fs').writeFileSync(${JSON.stringify(loaded)}, process.moduleLoadList.join('\\n'));
    });`;
    const hook = join(home.path, 'modules.cjs');
    writeFileSync(hook, list);
    const args = ['--require', hook, PROGRAM, ...command];
    spawnSync(process.execPath, args, { env: home.env, stdio: 'pipe', input: '' });
    const wanted =
      /^NativeModule (child_process|crypto|dgram|fs\/promises|https?|net|timers\/promises|tls|zlib)$/;
    const found = readFileSync(loaded, 'utf8')
      .split('\n')
      .flatMap((name) => wanted.exec(name)?.[1] ?? []);
    expect(found.sort()).toEqual(expected);
  });

  test('for a server of the Model Context Protocol is its client, and for nothing else', () => {
    const tools = ['tools', '--model', 'demo'] as const;
    const loads = (command: readonly string[]) => loadedFor(command).some((url) => url.includes(SERVER_SDK));
    expect([loads(tools), loads([...tools, '--mcp', 'no-such-program'])]).toEqual([false, true]);
  });

  test('for flags that take a value is the whole parser, with the same list', () => {
    const quick = start(counter, [PROGRAM, 'list', '--json']).stdout;
    expect(start(counter, [PROGRAM, 'list', '--json', '--limit', '50']).stdout).toBe(quick);
    expect(start(counter, [PROGRAM, 'list', '--jsn']).stderr).toContain("unknown option '--jsn'");
  });

  function loadedFor(command: readonly string[]): readonly string[] {
    writeFileSync(loaded, '');
    expect(start(logger, [PROGRAM, ...command]).status).toBe(0);
    return [...new Set(readFileSync(loaded, 'utf8').split('\n'))];
  }
});

test('the help that the build prepared is that of the program', async () => {
  using home = new Home();
  const [prepared, made] = [await home.run(['--help']), await home.run(['help'])];
  expect(prepared.stdout).toContain('go on where a session is');
  expect(prepared).toEqual(made);
});

test('a list of a thousand sessions has them all', () => {
  const { stdout } = start(counter, [PROGRAM, 'list', '--json', '--all']);
  expect(JSON.parse(stdout)).toHaveLength(SESSIONS);
});
