import { execFileSync } from 'node:child_process';
import { realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { pngOf } from '../../helpers/png.js';
import { runParts, runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { approveAndRun, asked, builtin } from './builtin.js';

const folder = tempFolders();

async function project(files: Record<string, string | Buffer> = {}) {
  const home = await folder();
  await home.write({ 'project/a.txt': 'one\ntwo\nthree\n', 'secret.txt': 'outside\n', ...files });
  return { cwd: path.join(home.path, 'project'), outside: home.path };
}

describe('read_file', () => {
  test('reads inside the working directory without asking', async () => {
    const { cwd } = await project();
    const tool = builtin('read_file', cwd);
    expect(await asked(tool, { path: 'a.txt' })).toBeUndefined();
    expect(await asked(tool, { path: path.join(cwd, 'x/../a.txt') })).toBeUndefined();
    expect(await runParts(tool, { path: './a.txt' })).toEqual({
      output: { path: 'a.txt', content: 'one\ntwo\nthree\n', fromLine: 1, toLine: 3, totalLines: 3 },
    });
  });

  test('reads a range of lines', async () => {
    const { cwd } = await project();
    const tool = builtin('read_file', cwd);
    expect(await runParts(tool, { path: 'a.txt', fromLine: 2, maxLines: 1 })).toEqual({
      output: { path: 'a.txt', content: 'two', fromLine: 2, toLine: 2, totalLines: 3 },
    });
    expect(await runParts(tool, { path: 'a.txt', fromLine: 9 })).toEqual({
      output: { path: 'a.txt', content: '', fromLine: 9, toLine: 8, totalLines: 3 },
    });
  });

  test('gives no more than 64 KiB, and says so', async () => {
    const { cwd } = await project({
      'project/long.txt': `${'x'.repeat(99)}\n`.repeat(1000),
      'project/line.txt': 'y'.repeat(99_999),
    });
    const tool = builtin('read_file', cwd);
    expect(await runParts(tool, { path: 'long.txt' })).toMatchObject({
      output: { toLine: 655, totalLines: 1000, truncated: true },
    });
    const { output } = (await runParts(tool, { path: 'line.txt' })) as { output: { content: string } };
    expect(output).toMatchObject({ truncated: true, totalLines: 1 });
    expect(output.content).toHaveLength(65_536);
  });

  test.for([
    ['missing.txt', 'missing.txt does not exist'],
    ['sub', 'sub is a folder'],
    ['binary', 'binary is not text (4 bytes)'],
    ['fifo', 'fifo is not a regular file'],
    ['a\0b', 'a path must not contain a NUL character'],
  ])('refuses %j', async ([name, message]) => {
    const { cwd } = await project({ 'project/binary': Buffer.from([1, 0, 2, 3]), 'project/sub/x': '' });
    execFileSync('/bin/sh', ['-c', 'mkfifo fifo'], { cwd });
    await expect(runParts(builtin('read_file', cwd), { path: name! })).rejects.toThrow(message!);
  });

  test('shows an image, whatever its name says, and refuses one that is too large', async () => {
    const png = pngOf(640, 480);
    const { cwd } = await project({ 'project/shot.txt': png, 'project/wide.png': pngOf(1, 8001) });
    const tool = builtin('read_file', cwd);
    expect(await runParts(tool, { path: 'shot.txt' })).toEqual({
      output: { path: 'shot.txt', bytes: 33, type: 'image/png', width: 640, height: 480 },
      content: [
        {
          type: 'media',
          url: `data:image/png;base64,${png.toString('base64')}`,
          contentType: 'image/png',
          metadata: { file: { name: 'shot.txt' } },
        },
      ],
    });
    await expect(runParts(tool, { path: 'wide.png' })).rejects.toThrow(
      'wide.png has 1×8001 pixels; the maximum is 8000 per side',
    );
  });

  test('reads no more of a long file than the part, and tells how long it is', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const { cwd } = await project({ 'project/long.txt': line.repeat(30_000) });
    const tool = builtin('read_file', cwd);
    expect(await runParts(tool, { path: 'long.txt', fromLine: 2, maxLines: 1 })).toEqual({
      output: {
        path: 'long.txt',
        content: line.trimEnd(),
        fromLine: 2,
        toLine: 2,
        bytes: 3_000_000,
        more: true,
      },
    });
    // Far behind it reads on to the part, and here to the end of the file.
    expect(await runParts(tool, { path: 'long.txt', fromLine: 30_000 })).toEqual({
      output: { path: 'long.txt', content: line, fromLine: 30_000, toLine: 30_000, totalLines: 30_000 },
    });
  });

  test('looks at ten megabytes at most, and says so', async () => {
    const { cwd } = await project({ 'project/huge.txt': Buffer.alloc(11 * 1024 * 1024, 'y\n') });
    const lines = (10 * 1024 * 1024) / 2;
    expect(await runParts(builtin('read_file', cwd), { path: 'huge.txt', fromLine: 10_000_000 })).toEqual({
      output: {
        path: 'huge.txt',
        content: '',
        fromLine: 10_000_000,
        toLine: 9_999_999,
        totalLines: lines,
        bytes: 11 * 1024 * 1024,
        cut: true,
      },
    });
  });

  test('asks before it reads a file that often contains keys, and reads it after a yes', async () => {
    const { cwd } = await project({ 'project/.env': 'KEY=1\n' });
    const tool = builtin('read_file', cwd);
    expect(await asked(tool, { path: '.env' })).toEqual({
      reason: 'reads a file that often contains keys',
      facts: {
        path: path.join(cwd, '.env'),
        'rules with patterns': 'ignored: files like this often contain program passwords and keys',
      },
      warnings: ['files like this often contain program passwords and keys'],
    });
    expect(await runParts(tool, { path: '.env' })).toHaveProperty('interrupt');
    expect(await approveAndRun(tool, { path: '.env' })).toMatchObject({ output: { content: 'KEY=1\n' } });
  });

  test('asks for everything where the working directory is the home folder', async () => {
    const { cwd } = await project();
    expect(await asked(builtin('read_file', cwd, { home: cwd }), { path: 'a.txt' })).toEqual({
      reason: 'the working directory is your home folder, so no file is treated as inside it',
      facts: { path: path.join(cwd, 'a.txt') },
    });
    expect(await asked(builtin('list_files', cwd, { home: path.join(cwd, 'ann') }), {})).toMatchObject({
      reason: 'the working directory is a folder above your home folder, so no file is treated as inside it',
    });
    expect(await asked(builtin('search_files', '/'), { pattern: 'x', path: 'etc' })).toMatchObject({
      reason: 'the working directory is the file system root, so no file is treated as inside it',
      facts: { path: '/etc' },
    });
  });

  test('shows bytes that are not UTF-8 as replacements', async () => {
    const { cwd } = await project({ 'project/latin.txt': Buffer.from([0x63, 0xe9, 0x0a]) });
    expect(await runParts(builtin('read_file', cwd), { path: 'latin.txt' })).toMatchObject({
      output: { content: 'c\uFFFD\n' },
    });
  });

  test.for(['../secret.txt', '/etc/hostname', '~/notes.txt', '~'])(
    'asks before it reads %s',
    async (name) => {
      const { cwd, outside } = await project();
      const request = await asked(builtin('read_file', cwd, { home: outside }), { path: name });
      const resolved = name.startsWith('~') ? path.join(outside, name.slice(1)) : path.resolve(cwd, name);
      expect(request).toMatchObject({
        reason: 'reads outside the working directory',
        facts: { path: resolved },
      });
    },
  );

  test('reads outside after a person agreed to that path', async () => {
    const { cwd } = await project();
    expect(await approveAndRun(builtin('read_file', cwd), { path: '../secret.txt' })).toMatchObject({
      output: { content: 'outside\n' },
    });
  });

  test('asks where a link leads outside, also through a folder and to nothing', async () => {
    const { cwd, outside } = await project();
    symlinkSync('../secret.txt', path.join(cwd, 'link'));
    symlinkSync('..', path.join(cwd, 'up'));
    symlinkSync('../not-there/yet', path.join(cwd, 'dangling'));
    const tool = builtin('read_file', cwd);
    const warnings = ['reached through a symbolic link'];
    expect(await asked(tool, { path: 'link' })).toMatchObject({
      facts: { path: path.join(outside, 'secret.txt') },
      warnings,
    });
    expect(await asked(tool, { path: 'up/secret.txt' })).toMatchObject({
      facts: { path: path.join(outside, 'secret.txt') },
      warnings,
    });
    expect(await asked(tool, { path: 'dangling' })).toMatchObject({
      facts: { path: path.join(outside, 'not-there/yet') },
      warnings,
    });
  });

  test('asks when a path came to lead outside after nobody was asked about it', async () => {
    const { cwd, outside } = await project();
    const tool = builtin('read_file', cwd);
    expect(await asked(tool, { path: 'a.txt' })).toBeUndefined();
    rmSync(path.join(cwd, 'a.txt'));
    symlinkSync('../secret.txt', path.join(cwd, 'a.txt'));
    expect(await runParts(tool, { path: 'a.txt' })).toMatchObject({
      interrupt: { facts: { path: path.join(outside, 'secret.txt') } },
    });
  });

  test('asks again when an approved path leads elsewhere now (G11)', async () => {
    const { cwd, outside } = await project({ 'other.txt': 'other' });
    symlinkSync('../secret.txt', path.join(cwd, 'link'));
    const tool = builtin('read_file', cwd);
    const shown = { facts: { path: path.join(outside, 'secret.txt') } };
    rmSync(path.join(cwd, 'link'));
    symlinkSync('../other.txt', path.join(cwd, 'link'));
    expect(await runParts(tool, { path: 'link' }, { approved: { shown, edited: false } })).toMatchObject({
      interrupt: {
        reason: 'The target changed after you approved; check again',
        facts: { path: path.join(outside, 'other.txt') },
      },
    });
  });

  test('asks where a person edited the path, as nobody was shown where it leads (G12)', async () => {
    const { cwd, outside } = await project();
    symlinkSync('../secret.txt', path.join(cwd, 'link'));
    const tool = builtin('read_file', cwd);
    const shown = { facts: { path: path.join(outside, 'other.txt') } };
    expect(await runParts(tool, { path: 'link' }, { approved: { shown, edited: true } })).toEqual({
      interrupt: {
        reason: 'Check what your edited input would do',
        facts: { path: path.join(outside, 'secret.txt') },
        warnings: ['reached through a symbolic link'],
      },
    });
  });

  test('goes through a working directory that is a link itself', async () => {
    const { cwd, outside } = await project();
    symlinkSync('project', path.join(outside, 'alias'));
    const tool = builtin('read_file', path.join(outside, 'alias'));
    expect(await asked(tool, { path: 'a.txt' })).toBeUndefined();
    expect(await asked(tool, { path: path.join(cwd, 'a.txt') })).toBeUndefined();
  });

  test('refuses a circle of links', async () => {
    const { cwd } = await project();
    symlinkSync('b', path.join(cwd, 'c'));
    symlinkSync('c', path.join(cwd, 'b'));
    await expect(runParts(builtin('read_file', cwd), { path: 'b' })).rejects.toThrow(
      /a loop of links|ELOOP|too many/,
    );
  });
});

describe('list_files', () => {
  test('lists a folder in the order of names, with sizes, and does not follow links', async () => {
    const { cwd } = await project({ 'project/src/b.ts': 'bb', 'project/.env': 'K=1' });
    symlinkSync('..', path.join(cwd, 'up'));
    expect(await runTool(builtin('list_files', cwd), {})).toEqual({
      output: {
        path: '.',
        entries: [
          { path: '.env', type: 'file', bytes: 3 },
          { path: 'a.txt', type: 'file', bytes: 14 },
          { path: 'src', type: 'folder' },
          { path: 'up', type: 'link' },
        ],
      },
    });
  });

  test('lists what is below, but not inside .git and node_modules', async () => {
    const { cwd } = await project({
      'project/src/b.ts': '',
      'project/.git/config': '',
      'project/node_modules/x/index.js': '',
    });
    const { output } = (await runTool(builtin('list_files', cwd), { recursive: true })) as {
      output: { entries: { path: string }[] };
    };
    expect(output.entries.map((entry) => entry.path)).toEqual([
      '.git',
      'a.txt',
      'node_modules',
      'src',
      'src/b.ts',
    ]);
  });

  test('names folders of keys and does not enter them, but the one that it was let into', async () => {
    const { cwd } = await project({
      'project/.ssh/id_rsa': '',
      'project/.ssh/sub/config': '',
      'project/state/sessions/x': '',
    });
    const tool = builtin('list_files', cwd, { ownFolders: [path.join(cwd, 'state')] });
    const paths = (ran: unknown) =>
      (ran as { output: { entries: { path: string }[] } }).output.entries.map((entry) => entry.path);
    expect(paths(await runTool(tool, { recursive: true }))).toEqual(['.ssh', 'a.txt', 'state']);
    expect(await runTool(tool, { path: '.ssh' })).toHaveProperty('interrupt');
    expect(paths(await approveAndRun(tool, { path: '.ssh', recursive: true }))).toEqual([
      'id_rsa',
      'sub',
      'sub/config',
    ]);
  });

  test('stops at 1000 entries', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1002 }, (_, index) => [`project/many/${index}`, '']),
    );
    const { cwd } = await project(files);
    const { output } = (await runTool(builtin('list_files', cwd), { path: 'many' })) as {
      output: { entries: unknown[]; more: boolean };
    };
    expect(output.entries).toHaveLength(1000);
    expect(output.more).toBe(true);
  });

  test('asks outside, and says what is not there', async () => {
    const { cwd, outside } = await project();
    expect(await asked(builtin('list_files', cwd), { path: '..' })).toMatchObject({
      facts: { path: outside },
    });
    expect(await asked(builtin('list_files', cwd), { path: tmpdir() })).toMatchObject({
      facts: { path: realpathSync(tmpdir()) },
    });
    await expect(runTool(builtin('list_files', cwd), { path: 'none' })).rejects.toThrow(
      'none does not exist',
    );
    await expect(runTool(builtin('list_files', cwd), { path: 'a.txt' })).rejects.toThrow('is not a folder');
  });
});
