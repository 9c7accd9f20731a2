import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { NotedFile } from '../../../src/core/index.js';
import { parsedBy, runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { approveAndRun, asked, builtin } from './builtin.js';
import { cpuTime } from '../../helpers/cpu-time.js';

const folder = tempFolders();

async function project(files: Record<string, string | Buffer> = {}) {
  const home = await folder();
  await home.write({ 'project/a.txt': 'one\ntwo\nthree\n', ...files });
  return { cwd: path.join(home.path, 'project'), outside: home.path };
}

describe('write_file', () => {
  test('asks each time, with the resolved path and the diff', async () => {
    const { cwd } = await project();
    const tool = builtin('write_file', cwd);
    expect(await asked(tool, { path: 'a.txt', content: 'one\n2\nthree\n' })).toEqual({
      facts: { path: path.join(cwd, 'a.txt'), change: 'replaces 14 bytes' },
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    });
    expect(await asked(tool, { path: 'new/b.txt', content: 'b\n' })).toEqual({
      facts: { path: path.join(cwd, 'new/b.txt'), change: 'creates the file' },
      diff: '--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1,1 @@\n+b\n',
    });
  });

  test('writes whole, makes folders, keeps the mode and leaves nothing behind', async () => {
    const { cwd } = await project();
    chmodSync(path.join(cwd, 'a.txt'), 0o755);
    const tool = builtin('write_file', cwd);
    expect(await approveAndRun(tool, { path: 'a.txt', content: 'né\n' })).toEqual({
      output: { path: 'a.txt', bytes: 4 },
    });
    expect(statSync(path.join(cwd, 'a.txt')).mode & 0o777).toBe(0o755);
    expect(await approveAndRun(tool, { path: 'new/deep/b.txt', content: '' })).toEqual({
      output: { path: 'new/deep/b.txt', bytes: 0 },
    });
    expect(await readdir(cwd, { recursive: true })).toEqual(
      expect.arrayContaining(['a.txt', 'new', 'new/deep', 'new/deep/b.txt']),
    );
    expect(await readdir(cwd, { recursive: true })).toHaveLength(4);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('né\n');
  });

  test('refuses a NUL, a folder and an endless path before anybody is asked', async () => {
    const { cwd } = await project({ 'project/sub/x': '' });
    const tool = builtin('write_file', cwd);
    expect(await parsedBy(tool, { path: 'a.txt', content: 'a\0b' })).toEqual({
      ok: false,
      issues: ['content: must not contain a NUL character'],
    });
    expect(await parsedBy(tool, { path: 'sub', content: '' })).toEqual({
      ok: false,
      issues: ['sub is a folder'],
    });
    expect(await parsedBy(tool, { path: 'new/', content: '' })).toMatchObject({ ok: false });
    expect(await parsedBy(tool, { path: 'a\0b', content: '' })).toMatchObject({ ok: false });
  });

  test('warns of what is outside, behind a link, inside .git, binary or too long to show', async () => {
    const { cwd, outside } = await project({
      'project/image.png': Buffer.from([0, 1, 2]),
      'project/latin.txt': Buffer.from([0xe9]),
      'project/long.txt': 'line\n'.repeat(300_000),
    });
    symlinkSync('../target.txt', path.join(cwd, 'link'));
    const tool = builtin('write_file', cwd);
    const warningsOf = async (name: string, content = 'x') =>
      (await asked(tool, { path: name, content }))?.warnings;
    expect(await warningsOf('link')).toEqual([
      'outside the working directory',
      'reached through a symbolic link',
    ]);
    expect(await asked(tool, { path: 'link', content: 'x' })).toMatchObject({
      facts: { path: path.join(outside, 'target.txt') },
    });
    expect(await warningsOf('.git/hooks/pre-commit')).toEqual([
      'runs later: git runs its hooks, and the programs in its settings',
    ]);
    expect(await warningsOf('image.png')).toEqual(['replaces a binary file']);
    expect(await warningsOf('latin.txt')).toEqual(['not valid UTF-8; invalid bytes are shown as �']);
    expect(await warningsOf('long.txt')).toEqual(['the file is too large to show as a diff']);
    const lines = (start: number) =>
      Array.from({ length: 5000 }, (_, index) => `${start + index}\n`).join('');
    writeFileSync(path.join(cwd, 'a.txt'), lines(0));
    expect(await warningsOf('a.txt', lines(9000))).toEqual(['the change is too large to show as a diff']);
  });

  test('warns of what is run later, also where a link has the name, and of what often contains keys', async () => {
    const { cwd } = await project({ 'project/scripts/check': 'x' });
    mkdirSync(path.join(cwd, '.husky'));
    symlinkSync('../scripts/check', path.join(cwd, '.husky/pre-commit'));
    const tool = builtin('write_file', cwd);
    const warningsOf = async (name: string) => (await asked(tool, { path: name, content: 'y' }))?.warnings;
    expect(await warningsOf('package.json')).toEqual([
      'runs later: npm and similar tools run its scripts, some on install',
    ]);
    expect(await warningsOf('.husky/pre-commit')).toEqual([
      'reached through a symbolic link',
      'runs later: git runs it on commit or push',
    ]);
    expect(await warningsOf('.env')).toEqual(['files like this often contain program passwords and keys']);
    expect(await warningsOf('scripts/check')).toEqual(['runs later: hooks, builds and people run it']);
    expect(await warningsOf('src/check')).toBeUndefined();
  });

  test('asks again where a warning is new', async () => {
    const { cwd } = await project();
    const tool = builtin('write_file', cwd);
    const input = { path: 'a.txt', content: 'mine\n' };
    const request = await asked(tool, input);
    const shown = JSON.parse(JSON.stringify(request)) as never;
    const wide = builtin('write_file', cwd, { home: cwd });
    expect(await runTool(wide, input, { approved: { shown, edited: false } })).toEqual({
      interrupt: {
        ...request,
        reason: 'The target changed after you approved; check again',
        warnings: ['the working directory is your home folder, so no file is treated as inside it'],
      },
    });
  });

  test('asks what an edited input would do, and writes nothing through a link that nobody saw', async () => {
    const { cwd, outside } = await project({ 'project/docs/x': '', 'outside/rc': 'precious\n' });
    const tool = builtin('write_file', cwd);
    const first = { path: 'docs/rc', content: 'evil line\n' };
    const shown = JSON.parse(JSON.stringify(await asked(tool, first))) as never;
    renameSync(path.join(cwd, 'docs'), path.join(cwd, 'old'));
    symlinkSync('../outside', path.join(cwd, 'docs'));
    const edited = { ...first, content: 'evil line.\n' };
    const again = await runTool(tool, edited, { approved: { shown, edited: true } });
    expect(again).toEqual({
      interrupt: {
        reason: 'Check what your edited input would do',
        facts: { path: path.join(outside, 'outside/rc'), change: 'replaces 9 bytes' },
        diff: expect.stringContaining('-precious') as string,
        warnings: ['outside the working directory', 'reached through a symbolic link'],
      },
    });
    expect(readFileSync(path.join(outside, 'outside/rc'), 'utf8')).toBe('precious\n');
    const agreed = { shown: (again as { interrupt: never }).interrupt, edited: false };
    expect(await runTool(tool, edited, { approved: agreed })).toHaveProperty('output');
  });

  test('asks again where a file that cannot be shown as a diff changed', async () => {
    const { cwd } = await project({ 'project/image.png': Buffer.from([0, 1, 2]) });
    const tool = builtin('write_file', cwd);
    const input = { path: 'image.png', content: 'x' };
    const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
    writeFileSync(path.join(cwd, 'image.png'), Buffer.from([0, 9, 9]));
    utimesSync(path.join(cwd, 'image.png'), 1, 1);
    expect(await runTool(tool, input, { approved: { shown, edited: false } })).toMatchObject({
      interrupt: { facts: { change: 'replaces 3 bytes', 'last changed': '1970-01-01T00:00:01.000Z' } },
    });
  });

  test('asks again where the file changed after it was approved (G12)', async () => {
    const { cwd } = await project();
    const tool = builtin('write_file', cwd);
    const input = { path: 'a.txt', content: 'mine\n' };
    const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
    writeFileSync(path.join(cwd, 'a.txt'), 'somebody else\n');
    const again = await runTool(tool, input, { approved: { shown, edited: false } });
    expect(again).toMatchObject({
      interrupt: {
        reason: 'The target changed after you approved; check again',
        diff: expect.stringContaining('-somebody else') as string,
      },
    });
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('somebody else\n');
    const approved = { shown: (again as { interrupt: never }).interrupt, edited: false };
    expect(await runTool(tool, input, { approved })).toEqual({ output: { path: 'a.txt', bytes: 5 } });
  });

  test('never writes where nobody was asked, and asks again where a folder came to lead outside', async () => {
    const { cwd, outside } = await project({ 'project/sub/x': '' });
    const tool = builtin('write_file', cwd);
    const input = { path: 'sub/b.txt', content: 'b' };
    expect(await runTool(tool, input)).toMatchObject({
      interrupt: { facts: { path: path.join(cwd, 'sub/b.txt') } },
    });
    const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
    mkdirSync(path.join(outside, 'elsewhere'));
    renameSync(path.join(cwd, 'sub'), path.join(cwd, 'old'));
    symlinkSync('../elsewhere', path.join(cwd, 'sub'));
    expect(await runTool(tool, input, { approved: { shown, edited: false } })).toMatchObject({
      interrupt: { facts: { path: path.join(outside, 'elsewhere/b.txt') } },
    });
    expect(await readdir(path.join(outside, 'elsewhere'))).toEqual([]);
  });

  test('does not write after the run was stopped', async () => {
    const { cwd } = await project();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(
      approveAndRun(builtin('write_file', cwd), { path: 'b.txt', content: 'b' }, { signal }),
    ).rejects.toThrow('stopped');
    expect(await readdir(cwd)).toEqual(['a.txt']);
  });
});

describe('edit_file', () => {
  test('replaces the one place where a text occurs', async () => {
    const { cwd } = await project();
    const tool = builtin('edit_file', cwd);
    const input = { path: 'a.txt', oldText: 'two', newText: '$& $1' };
    expect(await asked(tool, input)).toMatchObject({
      facts: { path: path.join(cwd, 'a.txt') },
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+$& $1\n three\n',
    });
    expect(await approveAndRun(tool, input)).toEqual({ output: { path: 'a.txt', line: 2 } });
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('one\n$& $1\nthree\n');
  });

  test('keeps line ends and byte order mark', async () => {
    const { cwd } = await project({ 'project/dos.txt': '\uFEFFone\r\ntwo\r\nthree\r\n' });
    const input = { path: 'dos.txt', oldText: 'one\ntwo\n', newText: '1\n2\n' };
    expect(await approveAndRun(builtin('edit_file', cwd), input)).toMatchObject({ output: { line: 1 } });
    expect(readFileSync(path.join(cwd, 'dos.txt'), 'utf8')).toBe('\uFEFF1\r\n2\r\nthree\r\n');
  });

  test.for([
    [{ oldText: 'four' }, 'a.txt: `oldText` does not occur in the file'],
    [
      { oldText: 't' },
      'a.txt: `oldText` occurs more than once (for example, lines 2 and 3); include more of the surrounding text',
    ],
    [{ oldText: 'one', path: 'none.txt' }, 'none.txt does not exist'],
    [{ oldText: 'x', path: 'binary' }, 'binary is not text'],
    [{ oldText: 'x', path: 'latin.txt' }, 'latin.txt is not valid UTF-8, so an edit would damage it'],
  ])('refuses %j before anybody is asked', async ([edit, problem]) => {
    const { cwd } = await project({
      'project/binary': Buffer.from('x\0'),
      'project/latin.txt': Buffer.from([0x78, 0xe9]),
    });
    expect(
      await parsedBy(builtin('edit_file', cwd), { path: 'a.txt', newText: '', ...(edit as object) }),
    ).toEqual({
      ok: false,
      issues: [problem],
    });
  });

  test('tells nothing about a file that often contains keys before a person agreed', async () => {
    const { cwd } = await project({ 'project/.env': 'key=1' });
    const tool = builtin('edit_file', cwd);
    for (const oldText of ['key=1', 'key=2'])
      expect(await parsedBy(tool, { path: '.env', oldText, newText: '' })).toMatchObject({ ok: true });
  });

  test('takes no longer for texts that repeat themselves (T18)', async () => {
    const { cwd } = await project({ 'project/big.txt': 'a'.repeat(5_000_000) });
    const tool = builtin('edit_file', cwd);
    const problem = async (oldText: string) => parsedBy(tool, { path: 'big.txt', oldText, newText: '' });
    const half = 'a'.repeat(49_999);
    const started = cpuTime();
    expect(await problem(`${half}b${half}`)).toEqual({
      ok: false,
      issues: ['big.txt: `oldText` does not occur in the file'],
    });
    expect(await problem(half)).toMatchObject({ ok: false });
    // Searched naively the first one takes more than a minute.
    expect(cpuTime() - started).toBeLessThan(10_000);
    expect(await problem('a'.repeat(100_001))).toMatchObject({ ok: false });
  });

  test('tells nothing about a file outside before a person agreed', async () => {
    const { cwd } = await project({ 'secret.txt': 'key=1' });
    const tool = builtin('edit_file', cwd);
    const wrong = { path: '../secret.txt', oldText: 'key=2', newText: '' };
    expect(await parsedBy(tool, wrong)).toMatchObject({ ok: true });
    // The gate cannot say what would change, and that makes the engine ask (G35).
    await expect(asked(tool, wrong)).rejects.toThrow('does not occur');
    expect(await asked(tool, { ...wrong, oldText: 'key=1' })).toMatchObject({
      warnings: ['outside the working directory'],
    });
  });
});

describe('what a file was', () => {
  /** Notes what is noted, and what the file is at that moment. */
  const notes = (file: string, fails = false) => {
    const noted: unknown[] = [];
    const noteFile = (given: NotedFile): Promise<boolean> => {
      const { before } = given;
      const content = typeof before === 'string' ? before : Buffer.from(before.bytes).toString();
      noted.push({
        ...given,
        before: content,
        now: existsSync(file) ? readFileSync(file, 'utf8') : undefined,
      });
      return fails ? Promise.reject(new Error('not kept')) : Promise.resolve(true);
    };
    return { noted, noteFile };
  };

  test.for([
    ['write_file', { path: 'a.txt', content: 'new' }, 'new'],
    ['edit_file', { path: 'a.txt', oldText: 'two', newText: '2' }, 'one\n2\nthree\n'],
  ] as const)('is noted by %s before the file changes', async ([name, input, after]) => {
    const { cwd } = await project();
    const file = path.join(cwd, 'a.txt');
    const { noted, noteFile } = notes(file);
    const before = 'one\ntwo\nthree\n';
    await approveAndRun(builtin(name, cwd), input, { noteFile });
    expect(noted).toEqual([{ path: file, before, after, now: before }]);
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  test('is nothing for a new file', async () => {
    const { cwd } = await project();
    const file = path.join(cwd, 'sub/new.txt');
    const { noted, noteFile } = notes(file);
    await approveAndRun(builtin('write_file', cwd), { path: 'sub/new.txt', content: 'x' }, { noteFile });
    expect(noted).toEqual([{ path: file, before: 'absent', after: 'x', now: undefined }]);
  });

  test('leaves the file alone where it cannot be noted', async () => {
    const { cwd } = await project();
    const file = path.join(cwd, 'a.txt');
    const { noteFile } = notes(file, true);
    const ran = approveAndRun(builtin('write_file', cwd), { path: 'a.txt', content: 'new' }, { noteFile });
    await expect(ran).rejects.toThrow('not kept');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  test('is kept of no file that is large or usually holds keys, and nothing is noted of one outside', async () => {
    const { cwd, outside } = await project({
      'project/.env': 'TOKEN=x',
      'project/large.txt': 'x'.repeat(5 * 1024 * 1024 + 1),
      'b.txt': 'b',
    });
    const { noted, noteFile } = notes(path.join(cwd, 'a.txt'));
    const tool = builtin('write_file', cwd);
    for (const name of ['.env', 'large.txt', path.join(outside, 'b.txt')])
      await approveAndRun(tool, { path: name, content: 'new' }, { noteFile });
    expect(noted).toMatchObject([
      { path: path.join(cwd, '.env'), before: 'secret' },
      { path: path.join(cwd, 'large.txt'), before: 'large', after: 'new' },
    ]);
    expect(noted[0]).not.toHaveProperty('after');
    expect(readFileSync(path.join(outside, 'b.txt'), 'utf8')).toBe('new');
  });
});
