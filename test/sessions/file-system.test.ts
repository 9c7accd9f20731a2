import disk, { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test, vi } from 'vitest';

import { nodeFileSystem, OPEN } from '../../sessions/disk/file-system.js';
import { readLines } from '../../sessions/journal/read-lines.js';
import { temporaryFolder } from './temporary-store.js';

const fs = nodeFileSystem();

describe('the disk', () => {
  test('tells what stands somewhere, without following links', () => {
    const folder = temporaryFolder();
    const at = (name: string): string => path.join(folder, name);
    writeFileSync(at('file'), 'four');
    chmodSync(at('file'), 0o640); // whatever the umask says
    symlinkSync(at('file'), at('link'));
    mkdirSync(at('folder'));
    expect(fs.lookUp(at('file'))).toMatchObject({ kind: 'file', size: 4, mode: 0o640 });
    expect(fs.lookUp(at('link'))?.kind).toBe('link');
    expect(fs.lookUp(at('folder'))?.kind).toBe('folder');
    expect(fs.lookUp('/dev/null')?.kind).toBe('other');
    expect(fs.lookUp(at('nothing'))).toBeUndefined();
    expect(fs.lookUp(at('file/inside'))).toBeUndefined();
    expect(() => fs.lookUp(at('x'.repeat(300)))).toThrow('ENAMETOOLONG');
  });

  test('tells that a flush failed', async () => {
    await expect(fs.datasync(123_456)).rejects.toThrow('EBADF');
    await expect(fs.sync(123_456)).rejects.toThrow('EBADF');
  });

  test('flushes in a thread, however fast it was (G26)', async () => {
    const inPlace = vi.spyOn(disk, 'fdatasyncSync').mockReturnValue(undefined);
    const inThread = vi.spyOn(disk, 'fdatasync').mockImplementation((_fd, done) => {
      done(null);
    });
    const { datasync } = nodeFileSystem();
    for (let time = 0; time < 20; time += 1) await datasync(3);
    expect(inThread).toHaveBeenCalledTimes(20);
    expect(inPlace).not.toHaveBeenCalled();
  });

  test('tells of changes in a folder', async () => {
    const folder = temporaryFolder();
    let unwatch = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      unwatch = fs.watch(folder, resolve);
    });
    writeFileSync(path.join(folder, 'new'), 'x');
    await changed;
    unwatch();
  });

  test('watches what is not there without an error', () => {
    const unwatch = fs.watch(path.join(temporaryFolder(), 'nothing'), () => undefined);
    expect(unwatch).not.toThrow();
  });
});

describe('the lines of a file', () => {
  test.for([0, 1, 16_383, 16_384, 16_385, 100_000, 400_000])('of %d bytes come whole', (length) => {
    const file = path.join(temporaryFolder(), 'file');
    const texts = ['first', 'x'.repeat(length), '', 'last without newline'];
    writeFileSync(file, texts.join('\n'));
    const fd = fs.open(file, OPEN.read, 0);
    const found: unknown[] = [];
    for (const { bytes, offset, end, hasNewline } of readLines(fs, fd, { from: 0 })) {
      found.push([bytes.toString(), offset, end, hasNewline]);
    }
    fs.close(fd);
    let offset = 0;
    expect(found).toEqual(
      texts.map((text, index) => {
        const from = offset;
        offset += text.length + (index < 3 ? 1 : 0);
        return [text, from, offset, index < 3];
      }),
    );
  });
});
