import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Mount } from '../../../src/tools/sandbox/layout.js';
import { isWritable, survey } from '../../../src/tools/sandbox/surroundings.js';

let base: string;
beforeEach(async () => {
  // Temporary folders are a command's own, whatever lies there: this one must lie elsewhere, as the project may not.
  const folder = /^\/(?:var\/)?tmp\//u.test(process.cwd()) ? homedir() : path.resolve('reports');
  await mkdir(folder, { recursive: true });
  base = await realpath(await mkdtemp(path.join(folder, 'survey-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string) => path.join(base, name);

async function folder(...names: string[]): Promise<void> {
  for (const name of names) await mkdir(at(name), { recursive: true });
}

/** What a command sees of this test's folder. */
async function seen(
  workspace: string,
  given: { hidden?: string[]; readOnly?: string[]; home?: string } = {},
) {
  const { hidden = [], readOnly = [], home = at('home') } = given;
  const around = {
    workspace: at(workspace),
    home,
    env: {},
    hidden: hidden.map(at),
    readOnly: readOnly.map(at),
  };
  const layout = await survey(around, at(workspace), false);
  return layout
    .filter((mount) => mount.path.startsWith(base))
    .map(({ path: place, kind }): Pick<Mount, 'path' | 'kind'> => ({
      path: path.relative(base, place),
      kind,
    }));
}

describe('what a command sees', () => {
  test('is the working directory to write in, without keys and without the state of the program', async () => {
    await folder('project', 'home/.ssh', 'home/.local/state/hitl', 'real-aws');
    await writeFile(at('home/.netrc'), '');
    await symlink('../real-aws', at('home/.aws'));
    expect(await seen('project', { hidden: ['home/.local/state/hitl', 'missing'] })).toEqual([
      { path: 'real-aws', kind: 'empty' },
      { path: 'project', kind: 'writable' },
      { path: 'home/.ssh', kind: 'empty' },
      { path: 'home/.netrc', kind: 'nothing' },
      { path: 'home/.local/state/hitl', kind: 'empty' },
    ]);
  });

  test('is a repository whose hooks and configuration stay as they are', async () => {
    await folder('project/.git');
    await writeFile(at('project/.git/config'), '');
    await writeFile(at('project/hitl.config.json'), '{}');
    expect(await seen('project', { readOnly: ['project/hitl.config.json', 'elsewhere.mjs'] })).toEqual([
      { path: 'project', kind: 'writable' },
      { path: 'project/hitl.config.json', kind: 'read-only' },
      { path: 'project/.git', kind: 'writable' },
      { path: 'project/.git/hooks', kind: 'read-only' },
      { path: 'project/.git/config', kind: 'read-only' },
    ]);
  });

  test('is nothing to write in where the working directory is the home directory, or holds it', async () => {
    await folder('home/.ssh');
    expect(await seen('home')).toEqual([{ path: 'home/.ssh', kind: 'empty' }]);
    expect(await seen('.')).toEqual([{ path: 'home/.ssh', kind: 'empty' }]);
    const around = { env: {}, hidden: [], readOnly: [] };
    expect(await isWritable({ ...around, workspace: '/', home: at('home') })).toBe(false);
    expect(await isWritable({ ...around, workspace: at('home/project'), home: at('home') })).toBe(true);
  });

  test('is no working directory inside of the state of the program', async () => {
    await folder('state/project');
    await expect(seen('state/project', { hidden: ['state'] })).rejects.toMatchObject({
      message: `${at('state/project')} lies in ${at('state')}, which commands must not see`,
    });
  });
});
