import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { root } from './project.js';

const CHANGES =
  '# Changes\n\n## Unreleased\n\n- It sings.\n- It dances.\n\n## 0.1.0 (2020-01-01)\n\n- It walks.\n';
const LOCK = {
  name: 'sample',
  version: '0.1.0',
  packages: { '': { version: '0.1.0' }, x: { version: '0.1.0' } },
};

let folder = '';
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const json = (name: string) => JSON.parse(text(name)) as Record<string, unknown>;

function release(...args: readonly string[]) {
  const script = path.join(root, 'scripts/release.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('a release', () => {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'hitl-release-'));
    const did = (name: string) => `node -e "fs.appendFileSync('did.log','${name} ')"`;
    const scripts = Object.fromEntries(
      ['build', 'reference', 'pictures', 'pack'].map((name) => [name, did(name)]),
    );
    const manifest = { name: 'sample', version: '0.1.0', scripts };
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(path.join(folder, 'package-lock.json'), `${JSON.stringify(LOCK, null, 2)}\n`);
    writeFileSync(path.join(folder, 'CHANGELOG.md'), CHANGES);
    writeFileSync(path.join(folder, '.gitignore'), 'did.log\nreports/\n');
    git('init', '--quiet');
    git('config', 'user.name', 'Tester');
    git('config', 'user.email', 'tester@example.org');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'begin');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('sets the version, closes the section of the changelog, builds, packs, commits and tags', () => {
    expect(release('0.2.0')).toMatchObject({ status: 0, stderr: '' });
    const today = new Date().toISOString().slice(0, 10);
    expect(json('package.json')['version']).toBe('0.2.0');
    expect(json('package-lock.json')).toEqual({
      name: 'sample',
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, x: { version: '0.1.0' } },
    });
    expect(text('CHANGELOG.md')).toBe(CHANGES.replace('Unreleased\n', `Unreleased\n\n## 0.2.0 (${today})\n`));
    expect(text('did.log')).toBe('build reference pictures pack ');
    expect(text('reports/hitl-0.2.0.md')).toBe('- It sings.\n- It dances.\n');
    expect([git('log', '-1', '--format=%s'), git('tag'), git('status', '--porcelain')]).toEqual([
      'release: 0.2.0',
      'v0.2.0',
      '',
    ]);
  });

  test('says with --dry-run what it would do, and changes nothing', () => {
    const { status, stdout } = release('0.2.0', '--dry-run');
    const lines = stdout.trim().split('\n');
    expect(status).toBe(0);
    expect(lines).toHaveLength(10);
    expect(lines.slice(0, -1).every((line) => line.startsWith('would do: '))).toBe(true);
    expect(lines.at(-1)).toBe('nothing was changed');
    expect([git('status', '--porcelain'), git('tag'), existsSync(path.join(folder, 'did.log'))]).toEqual([
      '',
      '',
      false,
    ]);
  });

  test.for([
    ['no version', [], 'usage: npm run release -- <version> [--dry-run]'],
    ['an older version', ['0.0.9'], '0.0.9 does not come after 0.1.0'],
    ['the same version', ['0.1.0'], '0.1.0 does not come after 0.1.0'],
  ] as const)('refuses %s', ([, args, said]) => {
    expect(release(...args)).toEqual({ status: 1, stdout: '', stderr: `error: ${said}\n` });
  });

  test('refuses what is not committed, a tag that is there, and a changelog without news', () => {
    writeFileSync(path.join(folder, 'new.txt'), 'x');
    expect(release('0.2.0').stderr).toBe('error: there are changes that are not committed\n');
    rmSync(path.join(folder, 'new.txt'));
    git('tag', 'v0.2.0');
    expect(release('0.2.0').stderr).toBe('error: the tag v0.2.0 is there already\n');
    writeFileSync(
      path.join(folder, 'CHANGELOG.md'),
      '# Changes\n\n## Unreleased\n\n## 0.1.0\n\n- It walks.\n',
    );
    git('commit', '--quiet', '--all', '-m', 'nothing new');
    expect(release('0.3.0').stderr).toBe(
      'error: “Unreleased” of CHANGELOG.md is empty: nothing to release\n',
    );
  });
});
