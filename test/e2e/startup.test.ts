import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

const SESSIONS = 1000;
const ROUNDS = 9;

/** Words that only the code of these packages holds. */
const MARKS = {
  '@anthropic-ai/sdk': 'X-Stainless-Lang',
  '@inquirer/core': 'ExitPromptError',
  zod: '_zod',
  marked: 'blockquote',
  ora: 'hideCursor',
} as const;

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
    `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`,
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

/** How many times as much as an empty program a command costs; runs take turns, so that both see the same machine. */
function timesEmpty(command: string): number {
  cost([PROGRAM, command]);
  const runs = Array.from({ length: ROUNDS }, () => [cost(['-e', '0']), cost([PROGRAM, command])] as const);
  return median(runs.map(([, ours]) => ours)) / median(runs.map(([empty]) => empty));
}

// Wide enough for a busy machine: a library that is loaded by mistake costs more than that.
test.for([
  ['--version', 1.5],
  ['--help', 2.5],
  ['list', 5],
] as const)('%s costs at most %d times an empty program', ([command, most]) => {
  expect(timesEmpty(command)).toBeLessThan(most);
});

describe('the code that is loaded', () => {
  const chunks = join(dirname(PROGRAM), 'chunks');

  test.for(Object.entries(MARKS))('%s is somewhere, known by `%s`', ([, mark]) => {
    const found = readdirSync(chunks).filter((name) =>
      readFileSync(join(chunks, name), 'utf8').includes(mark),
    );
    expect(found).not.toEqual([]);
  });

  test.for(['--version', '--help', 'list'])(
    'for %s holds no SDK, prompt, schema or markdown library',
    (command) => {
      writeFileSync(loaded, '');
      expect(start(logger, [PROGRAM, command]).status).toBe(0);
      const files = readFileSync(loaded, 'utf8')
        .split('\n')
        .filter((url) => url.startsWith('file:') && existsSync(fileURLToPath(url)))
        .map((url) => fileURLToPath(url));
      expect(files).toContain(PROGRAM);
      const texts = files.map((file) => readFileSync(file, 'utf8'));
      const held = Object.entries(MARKS).filter(([, mark]) => texts.some((text) => text.includes(mark)));
      expect(held).toEqual([]);
    },
  );
});

test('a list of a thousand sessions has them all', () => {
  const { stdout } = start(counter, [PROGRAM, 'list', '--json']);
  expect(JSON.parse(stdout)).toHaveLength(SESSIONS);
});
