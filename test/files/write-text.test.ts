import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { lookAt, placeOf, removeFile, writeText } from '../../src/files/index.js';
import { identityRoot } from '../../src/files/identity-anchor.js';
import { tempFolders } from '../tools/temp-folder.js';

const temporary = tempFolders();
const isRoot = process.geteuid?.() === 0;

async function project() {
  const { path: cwd, write } = await temporary();
  await write({ 'a.txt': 'old' });
  const at = async (name: string) => placeOf(name, { cwd, home: '/nowhere' });
  const seen = async (name: string) => {
    const before = await lookAt(await at(name));
    return before === undefined ? {} : { before };
  };
  return { cwd, at, seen };
}

describe('a text in the place of a file', () => {
  test.for([
    ['by descriptors', {}],
    ['by comparing', { openRoot: identityRoot }],
  ] as const)('takes it whole, makes folders and leaves nothing else: %s', async ([, options]) => {
    const { cwd, at, seen } = await project();
    await writeText(await at('a.txt'), 'new', { ...(await seen('a.txt')), ...options });
    await writeText(await at('b/c/d.txt'), 'd', options);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('new');
    expect(readFileSync(path.join(cwd, 'b/c/d.txt'), 'utf8')).toBe('d');
    expect(readdirSync(cwd, { recursive: true })).toHaveLength(4);
  });

  test('keeps its rights, but neither setuid nor setgid', async () => {
    const { cwd, at, seen } = await project();
    chmodSync(path.join(cwd, 'a.txt'), 0o6751);
    await writeText(await at('a.txt'), 'new', await seen('a.txt'));
    expect(statSync(path.join(cwd, 'a.txt')).mode & 0o7777).toBe(0o751);
  });

  test.runIf(isRoot)('keeps its owner where the system allows', async () => {
    const { cwd, at, seen } = await project();
    chownSync(path.join(cwd, 'a.txt'), 12_345, 23_456);
    chmodSync(path.join(cwd, 'a.txt'), 0o640);
    await writeText(await at('a.txt'), 'new', await seen('a.txt'));
    const { uid, gid, mode } = statSync(path.join(cwd, 'a.txt'));
    expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 12_345, gid: 23_456, mode: 0o640 });
  });

  test('is not written over what changed since it was looked at', async () => {
    const { cwd, at, seen } = await project();
    const before = await seen('a.txt');
    writeFileSync(path.join(cwd, 'a.txt'), 'was');
    await expect(writeText(await at('a.txt'), 'new', before)).rejects.toThrow(
      'a.txt changed in the meantime, so nothing was written',
    );
    await expect(writeText(await at('a.txt'), 'new')).rejects.toThrow('changed in the meantime');
    rmSync(path.join(cwd, 'a.txt'));
    await expect(writeText(await at('a.txt'), 'new', before)).rejects.toThrow('changed in the meantime');
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.for([
    [
      'a link',
      (cwd: string) => {
        symlinkSync('/etc/hostname', path.join(cwd, 'b.txt'));
      },
      'now leads to a different location',
    ],
    [
      'a folder',
      (cwd: string) => {
        mkdirSync(path.join(cwd, 'b.txt'));
      },
      'is a folder',
    ],
    [
      'another name',
      (cwd: string) => {
        linkSync(path.join(cwd, 'a.txt'), path.join(cwd, 'b.txt'));
      },
      'changed in the meantime',
    ],
  ] as const)('is not written where %s came to stand', async ([, put, problem]) => {
    const { cwd, at } = await project();
    const place = await at('b.txt');
    put(cwd);
    await expect(writeText(place, 'new')).rejects.toThrow(problem);
    expect(readdirSync(cwd)).toHaveLength(2);
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('old');
  });

  test('makes no folder where the way leads elsewhere by now', async () => {
    const { cwd, at } = await project();
    mkdirSync(path.join(cwd, 'sub'));
    mkdirSync(path.join(cwd, 'other'));
    const place = await at('sub/new/b.txt');
    renameSync(path.join(cwd, 'sub'), path.join(cwd, 'kept'));
    symlinkSync('other', path.join(cwd, 'sub'));
    await expect(writeText(place, 'b')).rejects.toThrow(
      'sub/new/b.txt now leads to a different location than when it was checked',
    );
    expect(readdirSync(path.join(cwd, 'other'))).toEqual([]);
  });

  test('makes no folder for a file that was there and is gone with its folder', async () => {
    const { cwd, at, seen } = await project();
    mkdirSync(path.join(cwd, 'sub'));
    writeFileSync(path.join(cwd, 'sub/b.txt'), 'b');
    const [place, before] = [await at('sub/b.txt'), await seen('sub/b.txt')];
    rmSync(path.join(cwd, 'sub'), { recursive: true });
    await expect(writeText(place, 'new', before)).rejects.toThrow('does not exist');
    expect(readdirSync(cwd)).toEqual(['a.txt']);
  });
});

describe('a file that is removed', () => {
  test('leaves its folder, also where that is empty then', async () => {
    const { cwd, at } = await project();
    await writeText(await at('b/c.txt'), 'c');
    const place = await at('b/c.txt');
    await removeFile(place, (await lookAt(place))!);
    expect(readdirSync(cwd, { recursive: true })).toEqual(['a.txt', 'b']);
  });

  test('is still what it was when it was looked at, and no link', async () => {
    const { cwd, at } = await project();
    const place = await at('a.txt');
    const before = (await lookAt(place))!;
    writeFileSync(path.join(cwd, 'a.txt'), 'others');
    await expect(removeFile(place, before)).rejects.toThrow('changed in the meantime');
    rmSync(path.join(cwd, 'a.txt'));
    symlinkSync('/etc/hostname', path.join(cwd, 'a.txt'));
    await expect(removeFile(place, before)).rejects.toThrow('now leads to a different location');
    expect(readdirSync(cwd)).toEqual(['a.txt']);
  });
});

test('a new file takes the rights that it is given, without setuid', async () => {
  const { cwd, at } = await project();
  await writeText(await at('b.txt'), Buffer.from([0, 255]), { mode: 0o4751 });
  expect(statSync(path.join(cwd, 'b.txt')).mode & 0o7777).toBe(0o751);
  expect([...readFileSync(path.join(cwd, 'b.txt'))]).toEqual([0, 255]);
});
