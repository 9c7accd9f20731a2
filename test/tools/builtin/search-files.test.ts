import { symlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { fakeClock } from '../../../src/testing/index.js';
import { fitsGlob } from '../../../src/core/index.js';
import { runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { approveAndRun, asked, builtin } from './builtin.js';

const folder = tempFolders();

async function project(files: Record<string, string | Buffer> = {}) {
  const home = await folder();
  await home.write({
    'a.ts': 'const a = 1;\r\nconst B = (a.b);\r\n',
    'src/b.ts': 'import a from "a";\n',
    'src/c.md': '# A title\n',
    '.git/config': 'const',
    'node_modules/x/index.js': 'const',
    binary: Buffer.from('const\0'),
    ...files,
  });
  return home.path;
}

describe('search_files', () => {
  test('finds a literal text by default, line by line', async () => {
    const cwd = await project();
    const tool = builtin('search_files', cwd);
    expect(await asked(tool, { pattern: 'x' })).toBeUndefined();
    expect(await runTool(tool, { pattern: '(a.b)' })).toEqual({
      output: {
        matches: [{ path: 'a.ts', line: 2, text: 'const B = (a.b);' }],
        filesSearched: 3,
        skipped: 1,
        more: false,
      },
    });
    expect(await runTool(tool, { pattern: 'CONST b', caseSensitive: false })).toMatchObject({
      output: { matches: [{ line: 2 }] },
    });
  });

  test('finds a regular expression', async () => {
    const tool = builtin('search_files', await project());
    expect(await runTool(tool, { pattern: '^(const|import) [ab] ', regex: true })).toMatchObject({
      output: {
        matches: [
          { path: 'a.ts', line: 1 },
          { path: 'src/b.ts', line: 1 },
        ],
      },
    });
    expect(await runTool(tool, { pattern: '^# a', regex: true, caseSensitive: false })).toMatchObject({
      output: { matches: [{ path: 'src/c.md', line: 1, text: '# A title' }] },
    });
    expect(await tool.parseInput({ pattern: '(', regex: true })).toMatchObject({ ok: false });
    expect(await tool.parseInput({ pattern: '(' })).toMatchObject({ ok: true });
  });

  test('passes over what often holds keys, unless that was asked for and agreed to', async () => {
    const cwd = await project({ '.env': 'KEY=unmistakable', 'src/server.pem': 'unmistakable' });
    const tool = builtin('search_files', cwd);
    expect(await runTool(tool, { pattern: 'unmistakable' })).toEqual({
      output: { matches: [], filesSearched: 3, skipped: 3, more: false },
    });
    expect(await runTool(tool, { pattern: 'unmistakable', path: '.env' })).toHaveProperty('interrupt');
    expect(await approveAndRun(tool, { pattern: 'unmistakable', path: '.env' })).toMatchObject({
      output: { matches: [{ path: '.env', line: 1 }] },
    });
  });

  test('narrows by folder, file and name', async () => {
    const tool = builtin('search_files', await project());
    const paths = async (input: object) =>
      (
        (await runTool(tool, { pattern: 'a', ...input })) as { output: { matches: { path: string }[] } }
      ).output.matches.map((match) => match.path);
    expect(await paths({ path: 'src' })).toEqual(['src/b.ts']);
    expect(await paths({ path: 'src/b.ts' })).toEqual(['src/b.ts']);
    expect(await paths({ files: '*.ts' })).toEqual(['a.ts', 'a.ts', 'src/b.ts']);
    expect(await paths({ files: 'src/*.ts' })).toEqual(['src/b.ts']);
  });

  test('stops at a number of matches, and cuts long lines', async () => {
    const cwd = await project({ 'many.txt': 'hit\n'.repeat(50), 'long.txt': `needle${'x'.repeat(1000)}` });
    const tool = builtin('search_files', cwd);
    const { output } = (await runTool(tool, { pattern: 'hit', maxMatches: 3 })) as {
      output: { matches: unknown[]; more: boolean };
    };
    expect([output.matches.length, output.more]).toEqual([3, true]);
    const long = (await runTool(tool, { pattern: 'needle' })) as { output: { matches: { text: string }[] } };
    expect(long.output.matches[0]!.text).toHaveLength(400);
  });

  test('gives up on a pattern that takes too long (T18)', async () => {
    const cwd = await project({ 'evil.txt': `${'a'.repeat(60)}!` });
    const clock = fakeClock();
    const search = runTool(builtin('search_files', cwd, { clock }), {
      pattern: '^(a+)+$',
      regex: true,
      path: 'evil.txt',
    });
    const failed = expect(search).rejects.toThrow('the pattern took longer than 5000 ms');
    await clock.untilSleeping();
    await clock.advance(5000);
    await failed;
  });

  test('stops when the run is stopped', async () => {
    const cwd = await project({ 'evil.txt': `${'a'.repeat(60)}!` });
    const clock = fakeClock();
    const stop = new AbortController();
    const tool = builtin('search_files', cwd, { clock });
    const search = runTool(
      tool,
      { pattern: '^(a+)+$', regex: true, path: 'evil.txt' },
      { signal: stop.signal },
    );
    const failed = expect(search).rejects.toThrow();
    await clock.untilSleeping();
    stop.abort(new Error('stopped'));
    await failed;
  });

  test('does not follow links out of the working directory', async () => {
    const cwd = await project();
    const outside = await folder();
    await outside.write({ 'secret.txt': 'unmistakable' });
    symlinkSync(outside.path, path.join(cwd, 'out'));
    expect(await runTool(builtin('search_files', cwd), { pattern: 'unmistakable' })).toMatchObject({
      output: { matches: [] },
    });
    expect(await asked(builtin('search_files', cwd), { pattern: 'x', path: 'out' })).toMatchObject({
      facts: { path: outside.path },
    });
  });
});

test.for([
  ['a.ts', '*.ts', true],
  ['a.tsx', '*.ts', false],
  ['src/a/b.ts', 'src/*.ts', true],
  ['ab', 'a?', true],
  ['a', 'a?', false],
  ['', '*', true],
  ['abcbc', 'a*bc', true],
  ['abcb', 'a*bc', false],
  ['a'.repeat(5000), `${'a*'.repeat(500)}b`, false],
] as const)('a name fits a pattern: %#', ([text, pattern, fits]) => {
  expect(fitsGlob(text, pattern)).toBe(fits);
});
