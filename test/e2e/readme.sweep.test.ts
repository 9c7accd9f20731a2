import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { blocksOf, masked, ROOT, Shell } from '../helpers/documents.js';
import type { Block } from '../helpers/documents.js';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...pagesIn('docs'),
  ...pagesIn('docs/guides'),
  ...pagesIn('docs/reference'),
  ...pagesIn('docs/adr'),
];
const START = 'npm ci && npm start -- --model demo';
const TEST = 'npm ci && npm test';

/**
 * What needs the package registry, runs tests again, builds what other tests run, or takes hours; CI runs the first
 * itself, and `test/faults` the short forms of what takes hours.
 */
const NOT_HERE = [
  /^npm ci && npm test$/,
  /^node scripts\/test-on-node\.mjs /,
  /^(?:\w+=\w+ )*(?:npx vitest run|npm test --|npm run (?:test:sweep|attack))(?= |$)/,
  /^hitl mcp test files$/, // by npx
  /^npm run (?:build|faults|fuzz|mutants|bench|scale|adopt|weigh|attention)\b/,
];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function shell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'hitl-docs-'));
  folders.push(folder);
  return new Shell(folder);
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Runs what a page shows, as a reader would: one after the other, in one place. */
function runBlock(place: Shell, { language, file, text }: Block): void {
  if (file !== undefined) place.save(file, text);
  if (language === 'console') expect(masked(place.play(text))).toBe(masked(text));
  if (language !== 'sh' || file !== undefined) return;
  for (const command of text.trim().split('\n')) {
    if (NOT_HERE.some((pattern) => pattern.test(command))) continue;
    if (command.startsWith('node ')) place.install();
    const cwd = command.includes('npm') ? ROOT : undefined;
    const { status, shown } = place.run(command.replace('npm ci && ', ''), cwd);
    expect({ command, status, shown }).toEqual({ command, status: 0, shown });
  }
}

/** The pages that show something to run. */
const SHOWING = PAGES.map((page) => {
  const runnable = blocksOf(page).filter(
    ({ language, file }) => file !== undefined || ['console', 'sh'].includes(language),
  );
  return { page, runnable };
}).filter(({ runnable }) => runnable.length > 0);

describe.each(SHOWING)('$page', ({ runnable }) => {
  const place = shell();

  test.each(runnable)('line $line does what it says', (block) => {
    runBlock(place, block);
  });
});

describe('the README', () => {
  const library = blocksOf('README.md').filter(({ language }) => language === 'ts');

  test('shows the library example as it is', () => {
    expect(library.map(({ text }) => text)).toEqual([read('examples/library.ts')]);
  });

  test('shows what the library example prints', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'examples/library.ts')],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect({ stdout, stderr, status }).toEqual({
      stdout: read('examples/library.ts.out'),
      stderr: '',
      status: 0,
    });
    expect(read('README.md')).toContain(`It prints:\n\n\`\`\`text\n${stdout}\`\`\``);
  });

  test('has the start line and the test line, each on a line of its own; CI runs the latter', () => {
    const lines = read('README.md').split('\n');
    expect([START, TEST].map((line) => lines.filter((other) => other === line).length)).toEqual([1, 1]);
    expect(read('.ci/run')).toContain(TEST);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({
      start: 'node dist/bin/hitl.js chat',
      test: expect.any(String) as string,
    });
    expect(existsSync(join(ROOT, 'scripts/test-on-node.mjs'))).toBe(true);
  });
});

describe('the lists of docs', () => {
  test('have every guarantee once', () => {
    const numbers = [...read('docs/guarantees.md').matchAll(/^### G(\d+) /gm)].map(({ 1: n }) => Number(n));
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from(numbers, (_, index) => index + 1));
  });

  test('have every package once', () => {
    const rows = [...read('docs/dependencies.md').matchAll(/^\| (`[^|]+) \|/gm)];
    const listed = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(({ 1: name }) => name),
    );
    const manifests = ['.', 'tools', 'tools/mcp-servers'].map(
      (folder) =>
        JSON.parse(read(`${folder}/package.json`)) as Record<string, Record<string, string> | undefined>,
    );
    const packages = manifests.flatMap(({ dependencies, devDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies }),
    );
    // An alias is another version of what has a row.
    const used = new Set(packages.flatMap(([name, version]) => (version.startsWith('npm:') ? [] : [name])));
    expect(listed.sort()).toEqual([...used].sort());
  });
});
