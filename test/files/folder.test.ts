import {
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { descriptorRoot } from '../../src/files/descriptor-anchor.js';
import { identityRoot } from '../../src/files/identity-anchor.js';
import type { OpenRoot } from '../../src/files/open-folder.js';
import { openFolder, withFolder } from '../../src/files/open-folder.js';
import { tempFolders } from '../tools/temp-folder.js';

const temporary = tempFolders();

const roots: readonly (readonly [string, OpenRoot])[] = [
  [
    'by descriptors',
    async () => {
      const root = await descriptorRoot();
      if (root === undefined) throw new Error('this system has no paths of descriptors');
      return root;
    },
  ],
  ['by comparing', identityRoot],
];

async function tree() {
  const { path: base, write } = await temporary();
  await write({ 'docs/note.txt': 'inside', 'outside/note.txt': 'outside' });
  symlinkSync('outside', path.join(base, 'link'));
  symlinkSync('../outside/note.txt', path.join(base, 'docs/alias'));
  return base;
}

const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

/** Puts a link to the folder outside in the place of `docs`. */
function exchange(base: string): void {
  renameSync(path.join(base, 'docs'), path.join(base, 'kept'));
  symlinkSync('outside', path.join(base, 'docs'));
}

describe.for(roots.filter(([name]) => process.platform === 'linux' || name === 'by comparing'))(
  'an open folder, %s',
  ([name, openRoot]) => {
    test('gives its entries, and what each of them is', async () => {
      const base = await tree();
      const seen = await withFolder(
        path.join(base, 'docs'),
        async (folder) => ({
          path: folder.path,
          entries: (await folder.entries()).map((entry) => entry.name).sort(),
          link: (await folder.look('alias')).isSymbolicLink(),
        }),
        { openRoot },
      );
      expect(seen).toEqual({ path: path.join(base, 'docs'), entries: ['alias', 'note.txt'], link: true });
    });

    test('is not opened through a link, not in a file, and not where there is none', async () => {
      const base = await tree();
      await expect(openFolder(path.join(base, 'link'), { openRoot })).rejects.toThrow(code('EMOVED'));
      await expect(openFolder(path.join(base, 'docs/note.txt'), { openRoot })).rejects.toThrow(
        code('ENOTDIR'),
      );
      await expect(openFolder(path.join(base, 'none/deep'), { openRoot })).rejects.toThrow(code('ENOENT'));
      await expect(openFolder(path.join(base, 'link/new'), { openRoot, make: [] })).rejects.toThrow(
        code('EMOVED'),
      );
      expect(readdirSync(path.join(base, 'outside'))).toEqual(['note.txt']);
    });

    test('makes the folders on the way that are missing, where it is told to', async () => {
      const base = await tree();
      const at = path.join(base, 'docs/new/deep');
      await withFolder(at, async () => undefined, { openRoot, make: [] });
      expect(existsSync(at)).toBe(true);
    });

    test('opens no link, and no path', async () => {
      const base = await tree();
      await withFolder(
        path.join(base, 'docs'),
        async (folder) => {
          await expect(folder.open('alias', constants.O_RDONLY)).rejects.toThrow(code('ELOOP'));
          for (const given of ['../outside/note.txt', '..', '.', ''])
            await expect(folder.open(given, constants.O_RDONLY)).rejects.toThrow(code('EINVAL'));
        },
        { openRoot },
      );
    });

    test('reads, makes, renames and removes nothing elsewhere once its path leads elsewhere', async () => {
      const base = await tree();
      const write = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      await withFolder(
        path.join(base, 'docs'),
        async (folder) => {
          exchange(base);
          const ways = await Promise.allSettled([
            folder.open('note.txt', constants.O_RDONLY).then(async (handle) => {
              try {
                return await handle.readFile('utf8');
              } finally {
                await handle.close();
              }
            }),
            folder.open('new.txt', write, 0o600).then(async (handle) => handle.close()),
            folder.makeFolder('sub'),
            folder.rename('note.txt', 'renamed.txt'),
          ]);
          const kinds = ways.map((way) => (way.status === 'fulfilled' ? 'done' : way.reason.code));
          // A descriptor goes on in the folder that was opened; who compares must give up.
          expect(new Set(kinds)).toEqual(new Set([name === 'by comparing' ? 'EMOVED' : 'done']));
        },
        { openRoot },
      );
      expect(readdirSync(path.join(base, 'outside'))).toEqual(['note.txt']);
      expect(readFileSync(path.join(base, 'outside/note.txt'), 'utf8')).toBe('outside');
    });

    test('takes back what it made, or leaves it empty where its name is lost', async () => {
      const base = await tree();
      const write = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      await withFolder(
        path.join(base, 'docs'),
        async (folder) => {
          const first = await folder.open('first', write, 0o600);
          await first.writeFile('text');
          await folder.discard('first', first);
          await first.close();
          const second = await folder.open('second', write, 0o600);
          await second.writeFile('text');
          exchange(base);
          await folder.discard('second', second);
          await second.close();
        },
        { openRoot },
      );
      const kept = readdirSync(path.join(base, 'kept'));
      expect(kept).not.toContain('first');
      if (kept.includes('second')) expect(readFileSync(path.join(base, 'kept/second'), 'utf8')).toBe('');
    });

    test('makes its names durable', async () => {
      const base = await tree();
      mkdirSync(path.join(base, 'docs/sub'));
      await expect(
        withFolder(path.join(base, 'docs'), async (folder) => folder.sync(), { openRoot }),
      ).resolves.toBeUndefined();
    });
  },
);
