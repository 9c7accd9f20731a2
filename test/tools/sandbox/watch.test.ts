import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { watchNames } from '../../../src/tools/sandbox/watch.js';
import { tempFolders } from '../temp-folder.js';

const folder = tempFolders();
let base: string;
const at = (name: string) => path.join(base, name);
beforeEach(async () => {
  base = (await folder()).path;
  await mkdir(at('project/sub'), { recursive: true });
  await mkdir(at('outside'));
});

/** What is told of a command that must not change these names. */
async function after(names: readonly string[], command: () => Promise<unknown>) {
  const watched = await watchNames(
    at('project'),
    names.map((name) => at(`project/${name}`)),
  );
  await command();
  return watched();
}

describe('names that a command must not make or replace', () => {
  test('stay free: what it made there is moved aside, and nothing is lost', async () => {
    await writeFile(at('project/.mcp.json.set-aside'), 'before');
    const notes = await after(['.mcp.json', 'AGENTS.md', 'sub/deep/x.mjs', 'none'], async () => {
      await writeFile(at('project/.mcp.json'), 'evil');
      await mkdir(at('project/sub/deep'));
      await mkdir(at('project/sub/deep/x.mjs'));
    });
    expect(notes).toEqual([
      '`.mcp.json` was made and was moved to `.mcp.json.set-aside-2`, because programs could load it later',
      '`sub/deep/x.mjs` was made and was moved to `sub/deep/x.mjs.set-aside`, because programs could load it later',
    ]);
    expect(await readdir(at('project'))).toEqual(['.mcp.json.set-aside', '.mcp.json.set-aside-2', 'sub']);
    expect(await readFile(at('project/.mcp.json.set-aside'), 'utf8')).toBe('before');
  });

  test('lead where they led before', async () => {
    await symlink('sub', at('project/scripts'));
    await symlink('CLAUDE.md', at('project/AGENTS.md'));
    const notes = await after(['scripts/run.sh', 'AGENTS.md'], async () => {
      await rm(at('project/scripts'));
      await mkdir(at('project/scripts'));
      await writeFile(at('project/scripts/run.sh'), 'evil');
      await rm(at('project/AGENTS.md'));
    });
    expect(notes).toEqual([
      '`scripts` was replaced and was moved to `scripts.set-aside`, because programs could load it later',
      '`AGENTS.md` was removed and has been restored, because programs could load it later',
    ]);
    expect(await Promise.all([readlink(at('project/scripts')), readlink(at('project/AGENTS.md'))])).toEqual([
      'sub',
      'CLAUDE.md',
    ]);
  });

  test('are looked for where a link of before leads', async () => {
    await symlink('sub', at('project/scripts'));
    const notes = await after(['scripts/run.sh'], () => writeFile(at('project/sub/run.sh'), 'evil'));
    expect(notes).toEqual([
      '`sub/run.sh` was made and was moved to `sub/run.sh.set-aside`, because programs could load it later',
    ]);
  });

  test('are not followed out of the folder by a link that the command made', async () => {
    await writeFile(at('outside/settings.json'), 'of another');
    const notes = await after(['.claude/settings.json'], () => symlink('../outside', at('project/.claude')));
    expect(notes).toEqual([
      '`.claude` was made and was moved to `.claude.set-aside`, because programs could load it later',
    ]);
    expect(await readdir(at('outside'))).toEqual(['settings.json']);
    expect((await lstat(at('project/.claude.set-aside'))).isSymbolicLink()).toBe(true);
  });

  test('may be there: what a mount keeps is not looked at, and a new repository is only told of', async () => {
    await writeFile(at('project/kept'), '');
    const notes = await after(['kept'], async () => {
      await writeFile(at('project/kept'), 'the person saved it meanwhile');
      await mkdir(at('project/.git'));
      await writeFile(at('project/.git/config'), '');
    });
    expect(notes).toEqual([
      '`.git` was created or replaced; check it before you use it',
      '`.git/config` was created or replaced; check it before you use it',
    ]);
  });
});

describe('a repository that a command makes below the working directory (H4)', () => {
  test.for([
    ['a folder', ['vendor/.git/HEAD']],
    ['a file', ['vendor/.git']],
    ['in a package', ['node_modules/a/.git/HEAD']],
    ['a folder that is one by itself', ['vendor/HEAD', 'vendor/refs/x', 'vendor/objects/x']],
  ] as const)('is told: %s', async ([, files]) => {
    const notes = await after([], async () => {
      for (const file of files) {
        await mkdir(path.dirname(at(`project/${file}`)), { recursive: true });
        await writeFile(at(`project/${file}`), 'x');
      }
    });
    expect(notes.join('\n')).toContain('is a new or replaced repository');
    expect(await after([], async () => {})).toEqual([]);
  });
});
