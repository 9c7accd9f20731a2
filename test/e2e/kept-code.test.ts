import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

/** Node 22 and later keep compiled code themselves. */
const keepsItself = Reflect.has(module, 'enableCompileCache');

describe.skipIf(keepsItself)('compiled code that the program keeps', () => {
  const NAME = /^(\w+\.js)-[\d.]+-[\d.]+-v[\d.]+-\w+-(\w*)$/u;
  const kept = (folder: string) =>
    readdirSync(folder)
      .map((name) => NAME.exec(name)?.slice(1).join(' ') ?? name)
      .sort();

  test('is one for each file and command, and is refused where it is damaged or of another', async () => {
    using home = new Home();
    const folder = join(home.path, 'compiled');
    const env = { NODE_COMPILE_CACHE: folder };
    const say = () => home.run(['chat', '-p', 'hello'], { env });
    const inode = (name: string) => statSync(join(folder, name)).ino;
    const first = await say();
    const [talk = ''] = readdirSync(folder);
    expect(kept(folder)).toEqual(['talk.js chat']);
    const before = inode(talk);
    expect([await say(), inode(talk)]).toEqual([first, before]); // loaded, and not kept again
    truncateSync(join(folder, talk), 1000);
    expect([await say(), inode(talk) === before]).toEqual([first, false]); // made anew
    const anew = inode(talk);
    writeFileSync(join(folder, talk), 'not compiled code');
    expect([await say(), inode(talk) === anew]).toEqual([first, false]);
    await home.run(['inbox'], { env });
    await home.run(['resume', '--last'], { env });
    expect(kept(folder)).toEqual(['inbox.js inbox', 'talk.js chat', 'talk.js resume']);
  });

  test('is not made of words that are no command', async () => {
    using home = new Home();
    const folder = join(home.path, 'compiled');
    const { status } = await home.run(['nonsense'], { env: { NODE_COMPILE_CACHE: folder } });
    expect([status, kept(folder)]).toEqual([2, []]);
  });

  test('takes the place of what was kept of an earlier build, and is not run where others may write', async () => {
    using home = new Home();
    const folder = join(home.path, 'compiled');
    mkdirSync(folder, { mode: 0o700 });
    for (const name of ['all.js-1-1-v1-x64', 'all.js-1-1-v1-x64-inbox', 'talk.js-1-1-v1-x64-chat'])
      writeFileSync(join(folder, name), '');
    await home.run(['tools'], { env: { NODE_COMPILE_CACHE: folder } });
    expect(kept(folder)).toEqual(['all.js tools', 'talk.js chat']); // of another file nothing goes
    const open = join(home.path, 'open');
    mkdirSync(open, { mode: 0o777 });
    chmodSync(open, 0o777);
    const { status } = await home.run(['tools'], { env: { NODE_COMPILE_CACHE: open } });
    expect([status, readdirSync(open)]).toEqual([0, []]);
  });
});
