import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { contentOf } from '../../src/files/index.js';
import {
  absoluteWords,
  filesOfWords,
  guardedFolder,
  neutralFolder,
  ownEnvironment,
  searchPath,
  startProgram,
} from '../../src/programs/index.js';

let root: string;
const at = (...names: readonly string[]): string => path.join(root, ...names);
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'hitl-start-')));
  for (const folder of ['home', 'proj/.git', 'proj/sub', 'proj/bin', 'proj/node_modules/.bin', 'tools'])
    mkdirSync(at(folder), { recursive: true });
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const place = () => ({ cwd: at('proj/sub'), home: at('home') });
const SYSTEM = /^\/usr\/bin:\/bin/u;

function program(name: string, body: string): string {
  const file = at(name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function printed(child: ReturnType<typeof startProgram>): Promise<string> {
  const ended = once(child, 'close');
  const said = child.stdout === null ? '' : await text(child.stdout);
  await ended;
  return said;
}

describe('where a program of ours stands (A1)', () => {
  test('what is guarded is the repository that the working folder lies in', () => {
    expect(guardedFolder(place())).toBe(at('proj'));
    expect(guardedFolder({ cwd: at('tools'), home: at('home') })).toBe(at('tools'));
  });

  test.for(['home', '.'])('a working folder that holds everything of a person guards nothing: %s', (cwd) => {
    expect(guardedFolder({ cwd: at(cwd), home: at('home') })).toBeUndefined();
  });

  test('the neutral folder is the home, and never a folder that the session works on', () => {
    expect(neutralFolder(place())).toBe(at('home'));
    expect(neutralFolder({ cwd: at('home'), home: at('home') })).toBe('/');
    expect(neutralFolder({ cwd: at('proj'), home: at('gone') })).toBe('/');
  });

  test('a search path has no relative entry, nothing of the folder, and nothing that npm put there', () => {
    symlinkSync(at('proj/bin'), at('tools/link'));
    const entries = [
      '.',
      '',
      'bin',
      at('proj/bin'),
      at('tools/link'),
      at('tools'),
      at('x/node_modules/.bin'),
    ];
    expect(searchPath(entries.join(':'), at('proj'))).toBe(at('tools'));
    expect(searchPath('.:bin', at('proj'))).toMatch(SYSTEM);
    expect(searchPath(undefined, undefined)).toMatch(SYSTEM);
  });

  test('it is told the working folder by a variable, and no variable leads it back', () => {
    const given = {
      PATH: `.:${at('tools')}`,
      PWD: at('proj'),
      INIT_CWD: 'x',
      npm_config_local_prefix: 'x',
      KEY: 'k',
    };
    expect(ownEnvironment(given, place())).toEqual({
      PATH: at('tools'),
      KEY: 'k',
      HITL_FOLDER: at('proj/sub'),
    });
  });

  test('it runs there, found by its name outside of the folder alone', async () => {
    program('proj/bin/tell', 'echo hostile');
    program('tools/tell', 'pwd -P');
    const env = { PATH: `.:${at('proj/bin')}:${at('tools')}:/usr/bin:/bin` };
    const child = startProgram('notify', { program: 'tell', args: [], place: place(), env });
    expect(await printed(child)).toBe(`${at('home')}\n`);
  });

  test('one that is only in the folder is not there', () => {
    program('proj/bin/tell', 'echo hostile');
    const given = { program: 'tell', args: [], place: place(), env: { PATH: at('proj/bin') } };
    expect(() => startProgram('notify', given)).toThrow('ENOENT');
  });

  test('a folder of its own that the session works on is refused', () => {
    const given = { program: 'true', args: [], place: place(), cwd: at('proj') };
    expect(() => startProgram('mcp-server', given)).toThrow('which is the session’s folder');
  });
});

describe('the files of a program', () => {
  test('another content than was trusted is not started (A6, A7)', () => {
    const file = program('proj/notify.sh', 'echo one');
    const files = [contentOf(file)];
    writeFileSync(file, '#!/bin/sh\necho two\n');
    const given = { program: file, args: [], place: place(), files };
    expect(() => startProgram('notify', given)).toThrow(
      `\`${file}\` has changed since you trusted it; not started`,
    );
  });

  test('relative words are absolute from where they were named, and names stay names', () => {
    writeFileSync(at('proj/server.mjs'), '');
    writeFileSync(at('proj/files'), '');
    const from = (...words: readonly string[]) => absoluteWords(words, at('proj'));
    expect(from('node', '--flag', 'server.mjs', '.')).toEqual([
      'node',
      '--flag',
      at('proj/server.mjs'),
      at('proj'),
    ]);
    expect(from('./run', '--root=../x', 'files')).toEqual([at('proj/run'), `--root=${at('x')}`, 'files']);
    expect(from('npx', '-y', 'files', '.')).toEqual(['npx', '-y', 'files', at('proj')]);
    expect(from('python3', '-m', 'files')).toEqual(['python3', '-m', 'files']);
  });

  test('each that words name counts, with what modules import', () => {
    writeFileSync(at('proj/server.mjs'), "import './dep.mjs';\n");
    writeFileSync(at('proj/dep.mjs'), '');
    const found = filesOfWords(['node', at('proj/server.mjs'), `--config=${at('proj/c.json')}`, 'dep.mjs']);
    expect(found.map((file) => path.basename(file.path)).sort()).toEqual(['dep.mjs', 'server.mjs']);
  });
});

const LEADING = ['mcp-server', 'notify', 'key-command'] as const;

describe('a program that leads a group of its own', () => {
  const isThere = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8') !== ''; // one that nobody has reaped has none
    } catch {
      return false;
    }
  };

  test.for(LEADING)('%s takes what it started with it when it ends (A16)', async (kind) => {
    const file = program('tools/server', 'sleep 60 & echo $!');
    const child = startProgram(kind, { program: file, args: [], place: place() });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    await once(child, 'close');
    expect(isThere(Number(line.toString()))).toBe(false);
  });

  test.for(LEADING)(
    '%s ends when the line to us is closed, whatever it does with its input (A16)',
    async (kind) => {
      const file = program('tools/server', 'trap "" TERM; echo up; while :; do sleep 1; done');
      const child = startProgram(kind, { program: file, args: [], place: place() });
      await once(child.stdout!, 'data');
      child.stdio[3]?.destroy();
      const [, signal] = (await once(child, 'exit')) as [unknown, string];
      expect(signal).toBe('SIGKILL');
    },
  );

  test('ends with all that it started when its time is over', async () => {
    const file = program('tools/slow', 'sleep 60 & echo $!; wait');
    const given = { program: file, args: [], place: place() };
    const options = { timeout: 500, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'ignore'] } as const;
    const child = startProgram('key-command', given, { ...options, stdio: [...options.stdio] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    await once(child, 'close');
    expect([isThere(Number(line.toString())), child.killed]).toEqual([false, true]);
  });

  test.for(['gone', 'plain'])('that is %s is no program, and nothing is started', (name) => {
    writeFileSync(at('plain'), 'x', { mode: 0o644 });
    const given = { program: at(name), args: [], place: place() };
    expect(() => startProgram('notify', given)).toThrow(name === 'gone' ? 'ENOENT' : 'EACCES');
  });
});
