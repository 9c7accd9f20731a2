import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

/** Node 22 and later keep compiled code themselves. */
const keepsItself = Reflect.has(module, 'enableCompileCache');

describe.skipIf(keepsItself)('compiled code that the program keeps', () => {
  const FILES = ['all.js', 'chat.js'];

  test('is a file for each that was loaded, and is refused where it is damaged or of another', async () => {
    using home = new Home();
    const folder = join(home.path, 'compiled');
    const env = { NODE_COMPILE_CACHE: folder };
    const say = () => home.run(['chat', '-p', 'hello'], { env });
    const kept = () => readdirSync(folder).sort();
    const first = await say();
    const names = kept();
    expect(names.map((name) => name.replace(/-.*/u, ''))).toEqual(FILES);
    const inodes = () => names.map((name) => statSync(join(folder, name)).ino);
    const before = inodes();
    expect([await say(), inodes(), kept()]).toEqual([first, before, names]); // loaded, and not kept again
    const [all = '', chat = ''] = names.map((name) => join(folder, name));
    truncateSync(all, 1000);
    writeFileSync(chat, 'not compiled code');
    expect([await say(), kept()]).toEqual([first, names]);
    expect(inodes().filter((inode, at) => inode === before[at])).toEqual([]); // each was made anew
  });

  test('takes the place of what was kept of an earlier build, and is not run where others may write', async () => {
    using home = new Home();
    const folder = join(home.path, 'compiled');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'all.js-1-1-v1-x64'), '');
    await home.run(['tools'], { env: { NODE_COMPILE_CACHE: folder } });
    const names = readdirSync(folder).map((name) => name.replace(/-.*/u, ''));
    expect(names.sort()).toEqual(['all.js', 'program.js']);
    const open = join(home.path, 'open');
    mkdirSync(open, { mode: 0o777 });
    chmodSync(open, 0o777);
    const { status } = await home.run(['tools'], { env: { NODE_COMPILE_CACHE: open } });
    expect([status, readdirSync(open)]).toEqual([0, []]);
  });
});
