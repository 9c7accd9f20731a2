import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { isDemo } from '../../commands/agent/choose-model.js';
import { pathHere } from '../../commands/host/path-here.js';

describe('a file that a session names', () => {
  const root = mkdtempSync(join(tmpdir(), 'hitl-places-'));
  const [one, two] = [join(root, 'one'), join(root, 'two')] as const;
  for (const folder of [one, two]) mkdirSync(join(folder, 'tools'), { recursive: true });
  writeFileSync(join(one, 'there.mjs'), '');
  for (const name of ['there.mjs', 'tools/gone.mjs']) writeFileSync(join(two, name), '');
  writeFileSync(join(root, 'outside.mjs'), '');
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  test.for([
    ['is itself where it is still there', join(one, 'there.mjs'), one, join(one, 'there.mjs')],
    [
      'is at the same place of another checkout',
      join(one, 'tools/gone.mjs'),
      one,
      join(two, 'tools/gone.mjs'),
    ],
    ['stays itself where nothing is at that place', join(one, 'never.mjs'), one, join(one, 'never.mjs')],
    ['stays itself outside of the folder it began in', join(root, 'gone.mjs'), one, join(root, 'gone.mjs')],
    ['stays itself where its name climbs', join(one, '..', 'gone.mjs'), one, join(root, 'gone.mjs')],
    [
      'stays itself in a session of no folder',
      join(one, 'tools/gone.mjs'),
      undefined,
      join(one, 'tools/gone.mjs'),
    ],
  ] as const)('%s', ([, file, began, expected]) => {
    expect(pathHere(file, { ...(began !== undefined && { began }), cwd: two })).toBe(expected);
  });
});

describe('the demo model', () => {
  const models = { fast: 'demo', slow: 'fast', real: 'anthropic:claude-haiku-4-5' };

  test.for([
    ['demo', true],
    ['fast', true],
    ['slow', true],
    ['real', false],
    ['anthropic:demo', false],
    ['script:demo', false],
  ] as const)('is meant by `%s`: %s', ([spec, is]) => {
    expect(isDemo({ spec }, { models })).toBe(is);
  });
});
