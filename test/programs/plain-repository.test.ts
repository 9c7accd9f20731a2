import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { gitRunsMore, repositories } from '../../src/programs/index.js';

let folder: string;
const at = (...names: readonly string[]): string => path.join(folder, ...names);
const write = (name: string, content = ''): string => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return name;
};
const git = (...args: readonly string[]): unknown =>
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
const append = (text: string): string =>
  write('.git/config', `${readFileSync(at('.git/config'), 'utf8')}${text}`);
const PARTS = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes', 'modules', 'worktrees'];
const partsOf = (git: string): readonly string[] => PARTS.map((part) => `${git}/${part}`);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hitl-git-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A commit of another repository in the index. */
function submodule(): void {
  write('sm/.git/HEAD', 'ref: refs/heads/main\n');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sm`);
}

function pipe(): void {
  rmSync(at('.git/config'));
  execFileSync('mkfifo', [at('.git/config')]);
}

test('a plain repository runs nothing, and no repository neither', () => {
  expect(gitRunsMore(folder)).toBeUndefined();
  git('init', '-q', '.');
  git('config', 'user.name', 'me');
  git('remote', 'add', 'origin', 'https://example.org/x.git');
  expect(gitRunsMore(folder)).toBeUndefined();
});

test.for<readonly [string, () => unknown]>([
  ['a monitor', () => git('config', 'core.fsmonitor', 'evil')],
  ['hooks elsewhere', () => git('config', 'core.hooksPath', 'x')],
  ['a filter', () => git('config', 'filter.x.clean', 'evil')],
  ['a converter', () => git('config', 'diff.x.textconv', 'evil')],
  ['a pager', () => git('config', 'core.pager', 'evil')],
  ['an editor', () => git('config', 'core.editor', 'evil')],
  ['an alias', () => git('config', 'alias.status', '!evil')],
  ['another file', () => git('config', 'include.path', 'x')],
  ['a transport', () => git('config', 'remote.origin.url', 'ext::sh -c evil')],
  ['a work tree', () => git('config', 'core.worktree', '/')],
  ['a setting on the line of its section', () => append('[core] fsmonitor = evil\n')],
  ['a setting that goes on in the next line', () => append('[user]\n\tname = a \\\n b\n')],
  ['a submodule, whose settings git obeys', submodule],
  ['an index in parts', () => write('.git/sharedindex.0')],
  ['a configuration that is a pipe', pipe],
  ['a hook', () => write('.git/hooks/post-index-change', '#!/bin/sh\n')],
  ['a configuration of the work tree', () => write('.git/config.worktree')],
  ['another common folder', () => write('.git/commondir', '../x')],
  ['attributes', () => write('.git/info/attributes', '* filter=x')],
  ['a bare one', () => git('config', 'core.bare', 'true')],
])('git asks where a repository has %s', ([, change]) => {
  git('init', '-q', '.');
  change();
  expect(gitRunsMore(folder)).toBeTypeOf('string');
});

test('git asks where `.git` is a file or a link, and where a folder looks like a repository (A5)', () => {
  write('file/.git', 'gitdir: ../x\n');
  mkdirSync(at('link'));
  symlinkSync('/nowhere', at('link/.git'));
  write('docs/HEAD', 'ref: refs/heads/main\n');
  const found = ['file', 'link', 'docs', 'docs/below'].map((name) => gitRunsMore(at(name)));
  const elsewhere = '`.git` is not a folder: the repository is elsewhere';
  const itself = 'the folder itself looks like a repository';
  expect(found).toEqual([elsewhere, elsewhere, itself, itself]);
});

test('every repository below a folder is found, with the hooks that it names (A7)', () => {
  write('a/b/.git/config', '[core]\n\thooksPath = .husky\n');
  write('c/.git', 'gitdir: ../x\n');
  const found = repositories(folder).map((one) => path.relative(folder, one.path));
  expect(found.sort()).toEqual([...partsOf('a/b/.git'), 'a/b/.husky', 'c/.git'].sort());
});

test('so do those of packages, bare ones, and those that a file names below the folder (G37)', () => {
  write('node_modules/x/.git/config');
  write('node_modules/@y/z/.git/config');
  write('node_modules/x/deep/.git/config'); // nobody works there
  for (const part of ['HEAD', 'objects/x', 'refs/x']) write(`vendor/x.git/${part}`);
  write('w/.git', 'gitdir: ../real\n');
  write('real/config');
  write('out/.git', 'gitdir: /etc\n');
  const found = repositories(folder).map((one) => path.relative(folder, one.path));
  expect(found.sort()).toEqual(
    [
      ...['node_modules/x/.git', 'node_modules/@y/z/.git', 'vendor/x.git', 'real'].flatMap(partsOf),
      'w/.git',
      'out/.git',
    ].sort(),
  );
});
