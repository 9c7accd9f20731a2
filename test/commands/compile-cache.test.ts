import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { keepCompiledCode } from '../../commands/host/index.js';

describe('compiled code', () => {
  const kept: unknown[] = [];
  const usual: unknown = Reflect.get(module, 'enableCompileCache');
  let home = '';
  let state = '';

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'hitl-cache-'));
    state = join(home, 'state');
    // Node 20 has no such function.
    Reflect.set(module, 'enableCompileCache', (folder: unknown) => kept.push(folder));
  });
  afterEach(() => {
    kept.length = 0;
    rmSync(home, { recursive: true });
    Reflect.set(module, 'enableCompileCache', usual);
  });

  const keep = (more: Record<string, string> = {}) => {
    keepCompiledCode({ env: { HITL_HOME: state, ...more }, home });
    return kept;
  };

  test('is kept in a folder of the user, for nobody else', () => {
    mkdirSync(state, { mode: 0o700 });
    const folder = join(state, 'compile-cache');
    expect(keep()).toEqual([folder]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(keep()).toEqual([folder, folder]);
  });

  test('is kept in the folder that the variable of Node names, also before there are sessions', () => {
    const folder = join(home, 'named');
    expect(keep({ NODE_COMPILE_CACHE: folder })).toEqual([folder]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(existsSync(state)).toBe(false);
  });

  test('is not kept where a variable of Node says so', () => {
    mkdirSync(state, { mode: 0o700 });
    expect(keep({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  });

  test('is not kept where there are no sessions yet', () => {
    expect(keep()).toEqual([]);
    expect(existsSync(state)).toBe(false);
  });

  test.for(['state', 'state/compile-cache'])('is not kept where others may write `%s`', (name) => {
    mkdirSync(join(state, 'compile-cache'), { recursive: true, mode: 0o700 });
    chmodSync(join(home, name), 0o777);
    expect(keep()).toEqual([]);
  });

  test('is not kept behind a link', () => {
    mkdirSync(state, { mode: 0o700 });
    mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(home, 'elsewhere'), join(state, 'compile-cache'));
    expect(keep()).toEqual([]);
  });

  test('is not kept, and nothing fails, where nobody can look', () => {
    symlinkSync('circle', join(home, 'circle'));
    state = join(home, 'circle', 'state');
    expect(keep()).toEqual([]);
  });
});
