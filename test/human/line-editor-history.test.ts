import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createLineHistory } from '../../src/human/line-editor/history.js';

const never = new AbortController().signal;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitl-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the history of typed lines', () => {
  test('is empty at first, and keeps every line as it was typed', async () => {
    const history = createLineHistory(join(folder, 'deep', 'history'));
    expect(await history.load(never)).toEqual([]);
    for (const line of ['one', 'two\nlines', '']) await history.add(line, never);
    expect(await createLineHistory(join(folder, 'deep', 'history')).load(never)).toEqual([
      'one',
      'two\nlines',
      '',
    ]);
  });

  test('G32: only its owner may read it, also where it was looser', async () => {
    const path = join(folder, 'deep', 'history');
    await createLineHistory(path).add('one', never);
    expect([(await stat(path)).mode & 0o777, (await stat(join(folder, 'deep'))).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    const loose = join(folder, 'loose');
    await writeFile(loose, '', { mode: 0o644 });
    await createLineHistory(loose).add('one', never);
    expect((await stat(loose)).mode & 0o777).toBe(0o600);
  });

  test('leaves out what it cannot read', async () => {
    const path = join(folder, 'history');
    await writeFile(path, '"one"\nnot json\n5\n"cut');
    expect(await createLineHistory(path).load(never)).toEqual(['one']);
  });

  test('offers the last 1000 lines, and cuts a file of twice as many', async () => {
    const path = join(folder, 'history');
    const text = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `"${from + index}"\n`).join('');
    await writeFile(path, text(0, 2000));
    expect((await createLineHistory(path).load(never))[0]).toBe('1000');
    expect((await readFile(path, 'utf8')).length).toBe(text(0, 2000).length);
    await appendFile(path, text(2000, 2001));
    expect((await createLineHistory(path).load(never)).at(-1)).toBe('2000');
    expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual([text(1001, 2001), ['history']]);
  });

  test('a place that cannot be written is no error', async () => {
    const path = join(folder, 'file', 'history');
    await writeFile(join(folder, 'file'), '');
    const history = createLineHistory(path);
    await history.add('one', never);
    expect(await history.load(never)).toEqual([]);
  });
});
