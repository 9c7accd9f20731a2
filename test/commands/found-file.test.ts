import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { foundBytes } from '../../src/files/index.js';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hitl-found-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('a file that was found', () => {
  test('is read, also through a link, and none is none', () => {
    const file = path.join(folder, 'file.json');
    writeFileSync(file, '{"a":1}');
    symlinkSync(file, path.join(folder, 'link'));
    expect(foundBytes(file)?.toString()).toBe('{"a":1}');
    expect(foundBytes(path.join(folder, 'link'))?.toString()).toBe('{"a":1}');
    expect(foundBytes(path.join(folder, 'none'))).toBeUndefined();
  });

  const strange: readonly (readonly [string, (file: string) => void, string])[] = [
    ['a pipe that nobody writes', (file) => void execFileSync('mkfifo', [file]), 'it is not a file'],
    [
      'a link to a device without an end',
      (file) => {
        symlinkSync('/dev/zero', file);
      },
      'it is not a file',
    ],
    [
      'a folder',
      (file) => {
        mkdirSync(file);
      },
      'it is not a file',
    ],
    [
      'larger than anybody writes',
      (file) => {
        writeFileSync(file, '');
        truncateSync(file, 1 << 30);
      },
      'it is larger than 4 MB',
    ],
  ];
  test.for(strange)('and is %s is not read', ([what, make, why]) => {
    const file = path.join(folder, what);
    make(file);
    expect(() => foundBytes(file)).toThrow(
      expect.objectContaining({ code: 'BAD_CONFIG', message: `cannot read \`${file}\`: ${why}` }),
    );
  });
});
