import { randomBytes } from 'node:crypto';
import { appendFileSync, copyFileSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { DurableFile } from '../../sessions/journal/durable-file.js';
import type { FileTip, Step } from '../../sessions/journal/durable-file.js';
import { OPEN } from '../../sessions/disk/file-system.js';
import { Crash, errnoError, faultyFileSystem } from './faulty-file-system.js';
import type { FaultyFileSystem } from './faulty-file-system.js';
import { temporaryFolder } from './temporary-store.js';

interface Opened {
  readonly fs: FaultyFileSystem;
  readonly path: string;
  readonly file: DurableFile<FileTip>;
  readonly text: () => string;
}

function openFile(verify: () => void = () => undefined): Opened {
  const fs = faultyFileSystem();
  const file = path.join(temporaryFolder(), 'file');
  const fd = fs.open(file, OPEN.append | OPEN.exclusive, 0o600);
  const options = { fs, path: file, what: 'the file', fd, tip: { length: 0 }, verify, random: randomBytes };
  return { fs, path: file, file: new DurableFile(options), text: () => readFileSync(file, 'utf8') };
}

function adding(text: string): (tip: FileTip) => Step<FileTip> {
  return ({ length }) => ({ bytes: Buffer.from(text), tip: { length: length + text.length } });
}

/** A flush that takes as long as the test wants, and then fails; the ones after it are fine. */
function slowFlush(): {
  readonly begun: () => Promise<void>;
  readonly hasBegun: Promise<void>;
  readonly fail: (error: Error) => void;
} {
  let count = 0;
  let tell: () => void;
  let fail: (error: Error) => void;
  const hasBegun = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const flush = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  return {
    begun: () => {
      if (count++ > 0) return Promise.resolve();
      tell();
      return flush;
    },
    hasBegun,
    fail: (error) => {
      fail(error);
    },
  };
}

/** Operations since a count. */
function since({ fs }: Opened, count: number): readonly string[] {
  return fs.operations.slice(count);
}

describe('an append', () => {
  test('is in the file before anyone waits for it (F28)', async () => {
    const { file, text } = openFile();
    const waiting = file.append(adding('one\n'));
    expect(text()).toBe('one\n');
    expect(file.durable.length).toBe(0);
    await waiting;
    expect(file.durable.length).toBe(4);
    await file.close();
  });

  test('shares its flush with those that wait for one too', async () => {
    const opened = openFile();
    const { file, fs } = opened;
    const count = fs.operations.length;
    const first = file.append(adding('a'));
    const second = file.append(adding('b'));
    await first;
    const more = ['c', 'd', 'e'].map((letter) => file.append(adding(letter)));
    await Promise.all([second, ...more]);
    const flushes = since(opened, count).filter((name) => name === 'datasync');
    expect(flushes).toHaveLength(2);
    expect(opened.text()).toBe('abcde');
    await file.close();
  });

  test('resolves in order', async () => {
    const { file } = openFile();
    const order: number[] = [];
    const note = (index: number) => file.append(adding('x')).then(() => order.push(index));
    await Promise.all([0, 1, 2, 3].map(note));
    expect(order).toEqual([0, 1, 2, 3]);
    await file.close();
  });

  test('is refused with what its maker throws, and nothing is written', async () => {
    const { file, text } = openFile();
    const making = file.append(() => {
      throw new Error('does not fit');
    });
    await expect(making).rejects.toThrow('does not fit');
    await file.append(adding('ok'));
    expect(text()).toBe('ok');
    await file.close();
  });

  test('that is lazy, and comes while the file waits to be closed, is durable first', async () => {
    const { file, text } = openFile();
    const late = file.append(adding('first ')).then(() => file.append(adding('late'), { lazily: true }));
    await file.close();
    await late;
    expect([text(), file.durable]).toEqual(['first late', { length: 10 }]);
  });

  test('is refused by a closed file', async () => {
    const { file } = openFile();
    await file.close();
    await file.close();
    await expect(file.append(adding('late'))).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });
});

/** Everything that is due in this turn of the event loop happens. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('a lazy append', () => {
  const lazily = { lazily: true };

  test('is in the file at once, and shares the flush of the next append that wants one', async () => {
    const opened = openFile();
    const { file, fs, text } = opened;
    const count = fs.operations.length;
    const lazy = file.append(adding('a'), lazily);
    expect([text(), file.appended.length, file.durable.length]).toEqual(['a', 1, 0]);
    await Promise.all([lazy, file.append(adding('b'))]);
    expect(since(opened, count)).toEqual(['write', 'write', 'datasync']);
    expect(file.durable.length).toBe(2);
    await file.close();
  });

  test('is flushed at the end of the turn where nobody wants a flush', async () => {
    const opened = openFile();
    const { file, fs } = opened;
    const count = fs.operations.length;
    const lazy = [file.append(adding('a'), lazily), file.append(adding('b'), lazily)];
    await Promise.resolve();
    expect(since(opened, count)).toEqual(['write', 'write']);
    await endOfTurn();
    await Promise.all(lazy);
    expect(since(opened, count)).toEqual(['write', 'write', 'datasync']);
    expect(file.durable.length).toBe(2);
    await file.close();
  });

  test('does not join a flush that runs, and is not begun by its end', async () => {
    const { file, fs } = openFile();
    let flushes = 0;
    let finish = (): void => undefined;
    fs.datasync = () => {
      flushes += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const first = file.append(adding('a'));
    await endOfTurn();
    const lazy = file.append(adding('b'), lazily);
    finish();
    await first;
    expect([flushes, file.durable.length]).toEqual([1, 1]);
    await endOfTurn();
    expect(flushes).toBe(2);
    finish();
    await lazy;
    await file.close();
  });

  test('resolves in order with the others', async () => {
    const { file } = openFile();
    const order: number[] = [];
    const note = async (index: number): Promise<void> => {
      await file.append(adding('x'), { lazily: index % 2 === 0 });
      order.push(index);
    };
    await Promise.all([0, 1, 2, 3, 4].map(note));
    expect(order).toEqual([0, 1, 2, 3, 4]);
    await file.close();
  });

  test('is flushed when the file is closed, and by whoever waits until all is settled', async () => {
    const { file, fs } = openFile();
    const first = file.append(adding('a'), lazily);
    await file.flushed();
    await first;
    const second = file.append(adding('b'), lazily);
    await file.close();
    await second;
    expect(fs.flushes).toHaveLength(2);
    expect(file.durable.length).toBe(2);
  });

  test('is taken back where its flush fails, and nothing takes its place before its caller can know', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(3, { type: 'error', errno: 'EIO', sticky: false });
    const lazy = file.append(adding('two\n'), lazily);
    const outcomes: string[] = [];
    const noted = lazy.catch(() => outcomes.push('two is lost'));
    await file.append(adding('three\n')).catch(() => outcomes.push('three is lost'));
    expect(file.appended.length).toBe(4);
    await file.append(adding('four\n')).catch(() => outcomes.push('four is refused'));
    await noted;
    expect(outcomes).toEqual(['two is lost', 'three is lost', 'four is refused']);
    await endOfTurn();
    await file.append(adding('five\n'));
    expect(text()).toBe('one\nfive\n');
    await file.close();
  });

  test('that cannot be written lets nothing take its place either', async () => {
    const { file, fs, text } = openFile();
    fs.fail(1, { type: 'short', errno: 'ENOSPC' });
    const appends = [file.append(adding('one'), lazily), file.append(adding('two'))];
    const refused = { status: 'rejected', reason: { code: 'SAVE_FAILED' } };
    expect(await Promise.allSettled(appends)).toMatchObject([refused, refused]);
    await endOfTurn();
    await file.append(adding('three'));
    expect(text()).toBe('three');
    await file.close();
  });
});

describe('what is appended to a file that has to be mended', () => {
  test('counts at once, and is written in order when it is mended', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(2, { type: 'error', errno: 'EIO', sticky: false });
    await expect(file.append(adding('lost\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    const appends = ['two\n', 'three\n'].map((line) => file.append(adding(line), { lazily: true }));
    expect(file.appended.length).toBe(14);
    expect(text()).toBe('one\nlost\n');
    await Promise.all(appends);
    expect(text()).toBe('one\ntwo\nthree\n');
    expect(file.durable.length).toBe(14);
    await file.close();
  });

  test('is taken back where it cannot be mended', async () => {
    const { file, fs } = openFile();
    await file.append(adding('one\n'));
    fs.fail(2, { type: 'error', errno: 'EIO', sticky: true });
    await expect(file.append(adding('lost\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    const appends = ['two\n', 'three\n'].map((line) => file.append(adding(line)));
    const refused = { status: 'rejected', reason: { code: 'SAVE_FAILED' } };
    expect(await Promise.allSettled(appends)).toMatchObject([refused, refused]);
    expect(file.appended.length).toBe(4);
    fs.heal();
    await file.append(adding('four\n'));
    expect(file.durable.length).toBe(9);
    await file.close();
  });
});

describe('a write that fails', () => {
  test('leaves the file as it was (G6)', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(1, { type: 'short', errno: 'ENOSPC' });
    await expect(file.append(adding('second\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    expect(text()).toBe('one\n');
    fs.heal();
    await file.append(adding('two\n'));
    expect(text()).toBe('one\ntwo\n');
    await file.close();
  });

  test('is one that takes nothing and gives no reason', async () => {
    const { file, fs } = openFile();
    fs.write = () => 0;
    await expect(file.append(adding('one'))).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: 'could not save the file: the system wrote no data and reported no error',
      hint: 'the write was not confirmed; try again',
      detail: { errno: null },
    });
    await file.close();
  });

  test('does not take one with it that waits for its flush', async () => {
    const { file, fs, text } = openFile();
    const first = file.append(adding('one\n'));
    fs.fail(1, { type: 'error', errno: 'ENOSPC', sticky: false });
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await first;
    expect(file.durable.length).toBe(4);
    expect(text()).toBe('one\n');
    await file.close();
  });

  test('is cut off before the next write where it could not be at once', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(1, { type: 'short', errno: 'EIO' });
    const { truncate } = fs;
    let refusals = 1;
    fs.truncate = (fd, length) => {
      if ((refusals -= 1) >= 0) throw new Error('not now');
      truncate(fd, length);
    };
    await expect(file.append(adding('second\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    expect(text()).toBe('one\nsecond');
    fs.heal();
    await file.append(adding('two\n'));
    expect(text()).toBe('one\ntwo\n');
    await file.close();
  });
});

describe('a flush that fails', () => {
  const failingFlush = { type: 'error', errno: 'EIO', sticky: false } as const;

  test('is not tried again on the same file: what was durable goes to a new one (G6, F13)', async () => {
    let verified = 0;
    const {
      file,
      fs,
      path: place,
      text,
    } = openFile(() => {
      verified += 1;
    });
    await file.append(adding('one\n'));
    const { ino } = statSync(place);
    fs.fail(2, failingFlush);
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    expect(file.durable.length).toBe(4);
    await file.append(adding('three\n'));
    expect(text()).toBe('one\nthree\n');
    expect(statSync(place).ino).not.toBe(ino);
    expect(statSync(place).mode & 0o777).toBe(0o600);
    expect(verified).toBe(1);
    await file.close();
  });

  test('takes those with it that were written behind it', async () => {
    const { file, fs, text } = openFile();
    fs.fail(3, failingFlush);
    const first = file.append(adding('one\n'));
    const settled = Promise.allSettled([first, file.append(adding('two\n'))]);
    await first.catch(() => undefined);
    const third = file.append(adding('three\n'));
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await third;
    expect(text()).toBe('three\n');
    expect(file.durable.length).toBe(6);
    await file.close();
  });

  test('takes an append with it that waits for the next flush', async () => {
    const { file, fs, text } = openFile();
    const flushing = slowFlush();
    fs.datasync = () => flushing.begun();
    const first = file.append(adding('one\n'));
    await flushing.hasBegun;
    const second = file.append(adding('two\n'));
    flushing.fail(errnoError('EIO'));
    await expect(first).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await expect(second).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await file.close();
    expect(text()).toBe('');
  });

  test('is told again as long as what was durable cannot be read back', async () => {
    const { file, fs } = openFile(() => {
      throw new Error('previously saved events cannot be read back');
    });
    await file.append(adding('one\n'));
    fs.fail(2, failingFlush);
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await expect(file.append(adding('three\n'))).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: 'could not save the file: previously saved events cannot be read back',
    });
    await file.close();
  });

  test('is taken back when the file is closed', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(2, failingFlush);
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await file.close();
    expect(text()).toBe('one\n');
  });

  test('may be the last thing that happens', async () => {
    const { file, fs, text } = openFile();
    await file.append(adding('one\n'));
    fs.fail(2, { type: 'crash', when: 'before' });
    const thrown: unknown = await file.append(adding('two\n')).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'SAVE_FAILED', cause: expect.any(Crash) });
    expect(text()).toBe('one\ntwo\n');
    await file.close();
  });
});

describe('a file that someone else changed', () => {
  test.for([
    [
      'was appended to',
      (file: string) => {
        appendFileSync(file, 'foreign\n');
      },
    ],
    [
      'was replaced',
      (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
    [
      'was removed',
      (file: string) => {
        unlinkSync(file);
      },
    ],
  ] as const)('and that %s is not written to any more (G24)', async ([, change]) => {
    const { file, path: place } = openFile();
    await file.append(adding('one\n'));
    change(place);
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await expect(file.append(adding('two\n'))).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(file.durable.length).toBe(4);
    await file.close();
  });
});
