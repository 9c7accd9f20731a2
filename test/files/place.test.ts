import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { isFree, placeOf } from '../../src/files/index.js';
import { tempFolders } from '../tools/temp-folder.js';

const temporary = tempFolders();

async function home(files: Record<string, string> = {}) {
  const folder = await temporary();
  await folder.write({ 'project/a.txt': '', ...files });
  return folder.path;
}

describe('a place', () => {
  test('inside the working directory is free to read', async () => {
    const base = await home();
    const cwd = path.join(base, 'project');
    const place = await placeOf('x/../a.txt', { cwd, home: base });
    expect(place).toEqual({
      path: path.join(cwd, 'a.txt'),
      given: path.join(cwd, 'a.txt'),
      inside: true,
      label: 'a.txt',
      linked: false,
    });
    expect(isFree(place)).toBe(true);
  });

  test('is never inside where the working directory is the home folder, one above it, or everything', async () => {
    const base = await home();
    const wideIn = async (cwd: string, homeFolder: string) => {
      const { inside, wide } = await placeOf('a.txt', { cwd, home: homeFolder });
      return { inside, wide };
    };
    expect(await wideIn(base, base)).toEqual({ inside: false, wide: 'your home folder' });
    expect(await wideIn(base, path.join(base, 'project'))).toEqual({
      inside: false,
      wide: 'a folder above your home folder',
    });
    expect(await wideIn('/', base)).toEqual({ inside: false, wide: 'the file system root' });
    expect(await wideIn(path.join(base, 'project'), base)).toEqual({ inside: true, wide: undefined });
    symlinkSync('.', path.join(base, 'alias'));
    expect(await wideIn(base, path.join(base, 'alias'))).toEqual({ inside: false, wide: 'your home folder' });
  });

  test('that often holds keys is not free, by its own name and by that of a link to it', async () => {
    const base = await home({ 'project/settings.txt': '' });
    const cwd = path.join(base, 'project');
    symlinkSync('settings.txt', path.join(cwd, '.env'));
    for (const [name, holds] of [
      ['.env', 'program passwords and keys'],
      ['sub/.env.local', 'program passwords and keys'],
      ['.SSH/config', 'private keys'],
      ['id_ed25519', 'private keys'],
      ['.git/config', 'server addresses, sometimes with a password'],
    ] as const) {
      const place = await placeOf(name, { cwd, home: base });
      expect({ name, inside: place.inside, holds: place.holds, free: isFree(place) }).toEqual({
        name,
        inside: true,
        holds,
        free: false,
      });
    }
    expect((await placeOf('settings.txt', { cwd, home: base })).holds).toBeUndefined();
  });

  test('in a folder of the program is not free, also behind a link and before it is made', async () => {
    const base = await home();
    const cwd = path.join(base, 'project');
    mkdirSync(path.join(cwd, 'real'));
    symlinkSync('real', path.join(cwd, 'state'));
    const ownFolders = [path.join(cwd, 'state'), path.join(cwd, 'later')];
    const holds = async (name: string) => (await placeOf(name, { cwd, home: base, ownFolders })).holds;
    expect(await holds('real/journal.jsonl')).toBe('hitl’s own sessions, settings and keys');
    expect(await holds('state/journal.jsonl')).toBe('hitl’s own sessions, settings and keys');
    expect(await holds('later')).toBe('hitl’s own sessions, settings and keys');
    expect(await holds('a.txt')).toBeUndefined();
  });

  test('is refused once the working directory leads elsewhere', async () => {
    const base = await home({ 'elsewhere/a.txt': '' });
    const cwd = path.join(base, 'project');
    renameSync(cwd, path.join(base, 'kept'));
    symlinkSync('elsewhere', cwd);
    await expect(placeOf('a.txt', { cwd, home: base })).rejects.toThrow(
      `the working directory ${cwd} now leads to a different location than at the start`,
    );
  });

  test('is refused for what lies below a file', async () => {
    const base = await home();
    await expect(placeOf('a.txt/b', { cwd: path.join(base, 'project'), home: base })).rejects.toThrow(
      'a.txt/b is not a folder, or is inside something that is not a folder',
    );
  });
});
