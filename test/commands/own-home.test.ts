import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { refuseTrackedHome } from '../../commands/config/own-home.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'hitl-own-home-'));
  mkdirSync(path.join(root, '.hitl'));
  writeFileSync(path.join(root, '.hitl/config.json'), '{}');
  git('init', '-q', '.');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: root });
const refuse = (home = path.join(root, '.hitl')) => {
  refuseTrackedHome({ cwd: root, home: '/nowhere', env: { HITL_HOME: home } });
};

test('a home in the repository counts as long as git does not track it (A11)', () => {
  expect(refuse).not.toThrow();
  git('add', '-A');
  expect(refuse).toThrow('which must be private to you');
  expect(() => {
    refuse(tmpdir());
  }).not.toThrow();
});

test('an index that does not spell its names out is refused (A11)', () => {
  git('update-index', '--index-version', '4', '--add', '.hitl/config.json');
  expect(refuse).toThrow('which must be private to you');
});
