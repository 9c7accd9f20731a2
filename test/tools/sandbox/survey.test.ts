import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { homedir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { shows } from '../../../src/tools/sandbox/mounts.js';
import { survey } from '../../../src/tools/sandbox/surroundings.js';

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

interface Given {
  readonly hidden?: string[];
  readonly readOnly?: string[];
  readonly reads?: string[];
  readonly home?: string;
  readonly search?: string[];
  readonly cwd?: string;
  readonly writes?: boolean;
}

function surveyed(workspace: string, given: Given = {}) {
  const { hidden = [], readOnly = [], reads = [], home = 'home', search = [], writes = true } = given;
  const around = {
    ...{ workspace: at(workspace), home: at(home), env: { PATH: search.map(at).join(':') } },
    ...{ hidden: hidden.map(at), readOnly: () => readOnly.map(at), reads: reads.map(at) },
  };
  return survey(around, { cwd: at(given.cwd ?? workspace), network: false, writes });
}

/** What a command sees of this test's folder. */
async function seen(workspace: string, given?: Given) {
  const layout = await surveyed(workspace, given);
  return layout
    .filter((mount) => mount.path.startsWith(base))
    .map((mount): string[] => [
      ...[path.relative(base, mount.path), mount.kind],
      ...('from' in mount ? [path.relative(base, mount.from)] : []),
    ]);
}

describe('what a command sees', () => {
  test('is the system, its working directory to write in, and a home directory that is empty', async () => {
    await folder('project', 'beside', 'home/.ssh', 'home/.claude', 'home/.local/state/hitl');
    await writeFile(at('home/.netrc'), '');
    expect(await seen('project', { hidden: ['home/.local/state/hitl', 'missing'] })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
    ]);
    const layout = await surveyed('project');
    expect(['/usr/bin/env', '/etc/passwd'].map((file) => shows(layout, file))).toEqual([true, true]);
    expect(['/run/x', '/var/lib', '/root', '/opt/x', '/'].map((file) => shows(layout, file))).toEqual([
      ...[false, false, false, false, false],
    ]);
  });

  test('is nothing of /etc that not every user may read', async () => {
    await folder('project');
    const layout = await surveyed('project');
    expect(layout).toContainEqual({ path: '/etc/shadow', kind: 'nothing' });
    expect(layout).not.toContainEqual({ path: '/etc/passwd', kind: 'nothing' });
  });

  test('is nothing to write in for a run that only reads', async () => {
    await folder('project/.git/hooks', 'home');
    expect(await seen('project', { writes: false, readOnly: ['project/.git/hooks'] })).toEqual([
      ['home', 'fresh'],
      ['project', 'read-only'],
    ]);
  });

  test('is for a run that only reads no name of keys, no pipe, and settings of git unless they hold a password', async () => {
    await folder('project/.git/modules/sub', 'project/deep/.ssh', 'home/added');
    for (const name of ['.env', 'deep/tls.key', 'deep/notes.md', '.git/config'])
      await writeFile(at(`project/${name}`), '[core]\n\tbare = false\n');
    await writeFile(at('project/.git/modules/sub/config'), 'url = https://ann:secret@host/x\n');
    execFileSync('mkfifo', [at('project/pipe')]);
    await symlink('.env', at('project/link'));
    const given = { writes: false, reads: ['home/added'] };
    expect((await seen('project', given)).sort()).toEqual([
      ['home', 'fresh'],
      ['project', 'read-only'],
      ['project/.env', 'nothing'],
      ['project/.git/modules/sub/config', 'nothing'],
      ['project/deep/.ssh', 'empty'],
      ['project/deep/tls.key', 'nothing'],
      ['project/pipe', 'nothing'],
    ]);
  });

  test('is what hitl keeps in the working directory as an empty folder', async () => {
    await folder('project/kept/state', 'home');
    expect(await seen('project', { hidden: ['project/kept/state'] })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['project/kept', 'writable'],
      ['project/kept/state', 'empty'],
    ]);
  });

  test('is a repository whose hooks and configuration stay as they are, and what is loaded later', async () => {
    await folder('project/.git', 'project/a/b/c', 'home');
    for (const name of ['.git/config', 'hitl.config.json', 'a/b/c/tool.mjs'])
      await writeFile(at(`project/${name}`), '');
    const readOnly = ['hitl.config.json', 'missing.mjs', 'a/b', 'a/b/c/tool.mjs'];
    expect(await seen('project', { readOnly: readOnly.map((name) => `project/${name}`) })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['project/hitl.config.json', 'read-only'],
      ['project/.git', 'writable'],
      ['project/a', 'writable'],
      ['project/.git/hooks', 'read-only'],
      ['project/.git/config', 'read-only'],
      ['project/a/b', 'read-only'],
    ]);
  });

  test('is each folder of the search path, with the installation that it belongs to', async () => {
    await folder(
      ...['project/node_modules/.bin', 'home/.nvm/v20/bin', 'home/.nvm/v20/lib', 'home/.nvm/versions'],
      ...['home/.local/bin', 'home/.local/lib', 'home/.local/share', 'home/.cargo/bin', 'home/.cargo/lib'],
      ...['home/keys', 'home/current', 'state/bin', 'tools/bin'],
    );
    await writeFile(at('home/.cargo/credentials.toml'), '');
    await writeFile(at('home/keys/id_rsa'), '');
    await symlink('../.nvm/v20/bin', at('home/current/bin'));
    const search = [
      ...['project/node_modules/.bin', 'home/current/bin', 'home/.local/bin', 'home/.cargo/bin'],
      ...['home/keys', 'home', '.', 'state/bin', 'tools/bin', 'missing'],
    ];
    expect(await seen('project', { search, hidden: ['state'] })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['tools/bin', 'read-only'],
      ['home/.nvm/v20', 'read-only'],
      ['home/current/bin', 'read-only', 'home/.nvm/v20/bin'],
      ['home/.local/bin', 'read-only'],
      ['home/.cargo/bin', 'read-only'],
    ]);
  });

  test.for(['/tmp/ann', '/run/user/1000', '/srv/ann'])('is an empty home directory at %s', async (home) => {
    await folder('project');
    const around = { workspace: at('project'), home, env: {}, hidden: [], readOnly: () => [], reads: [] };
    const layout = await survey(around, { cwd: at('project'), network: false, writes: true });
    expect(layout.filter(({ path: where }) => where === home)).toEqual([{ path: home, kind: 'fresh' }]);
  });

  test('is what the person added, but nothing that hitl keeps', async () => {
    await folder('project', 'home/.rustup', 'home/real', 'home/state/sessions');
    await writeFile(at('home/.gitconfig'), '');
    await symlink('real', at('home/link'));
    const reads = ['home/.rustup', 'home/.gitconfig', 'home/link', 'home/state/sessions', 'home/missing'];
    expect(await seen('project', { reads, hidden: ['home/state'] })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['home/.rustup', 'read-only'],
      ['home/.gitconfig', 'read-only'],
      ['home/real', 'read-only'],
      ['home/link', 'read-only', 'home/real'],
    ]);
    await expect(surveyed('project', { reads: ['home'] })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: `\`sandboxReads\` includes ${at('home')}, which contains your home directory`,
    });
  });

  test('is another folder to read, where the person agreed to run it there', async () => {
    await folder('project', 'home/other', 'home/.config/gh');
    expect(await seen('project', { cwd: 'home/other' })).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['home/other', 'read-only'],
    ]);
  });

  test('is the repository of a worktree to read, and nothing that a file only says is one', async () => {
    await folder('home', 'main', 'forged/inner/worktrees/x', 'secret/worktrees/x');
    const git = (...args: string[]) => execFileSync('git', ['-C', at('main'), ...args], { stdio: 'ignore' });
    git('init');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '--message', 'one');
    git('worktree', 'add', at('tree'));
    expect(await seen('tree')).toEqual([
      ['home', 'fresh'],
      ['tree', 'writable'],
      ['main/.git', 'read-only'],
      ['tree/.git', 'read-only'],
    ]);
    await writeFile(at('secret/worktrees/x/commondir'), '../..');
    await writeFile(at('forged/inner/worktrees/x/gitdir'), '../../../.git');
    await writeFile(at('forged/inner/worktrees/x/commondir'), at('secret'));
    for (const where of [
      'inner/worktrees/x',
      at('secret/worktrees/x'),
      at('main/.git/worktrees/tree'),
      at('secret'),
    ]) {
      await writeFile(at('forged/.git'), `gitdir: ${where}\n`);
      expect(await seen('forged')).toEqual([
        ['home', 'fresh'],
        ['forged', 'writable'],
        ['forged/.git', 'read-only'],
      ]);
    }
  });

  test('is no socket of the working directory that another program listens on', async () => {
    await folder('project/run', 'home');
    const server = createServer().listen(at('project/run/agent.socket'));
    await once(server, 'listening');
    expect(await seen('project')).toEqual([
      ['home', 'fresh'],
      ['project', 'writable'],
      ['project/run/agent.socket', 'nothing'],
    ]);
    server.close();
  });

  test.for([
    ['home', 'home', 'it is your home directory'],
    ['.', '.', 'it contains your home directory'],
    ['project', 'home', 'it is your home directory'],
    ['project', 'home/.config/gh', 'programs keep their settings and keys there'],
    ['state/project', 'state/project', 'hitl keeps its own files there'],
    ['project', 'state', 'hitl keeps its own files there'],
  ] as const)('is no folder that shows more: %s, in %s', async ([workspace, cwd, why]) => {
    await folder('project', 'home/.config/gh', 'state/project');
    await expect(surveyed(workspace, { cwd, hidden: ['state'] })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: `sandboxed commands cannot run in ${at(workspace === cwd ? workspace : cwd)}: ${why}`,
    });
  });

  test.for(['/', '/tmp', '/usr', '/proc/self'])('is not all of %s', async (cwd) => {
    await folder('project', 'home');
    const around = {
      workspace: at('project'),
      home: at('home'),
      env: {},
      hidden: [],
      readOnly: () => [],
      reads: [],
    };
    await expect(survey(around, { cwd, network: false, writes: true })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
    });
  });

  test('is the settings of programs where the person works on them', async () => {
    await folder('home/.config/editor');
    await chmod(at('home'), 0o700);
    expect(await seen('home/.config/editor')).toEqual([
      ['home', 'fresh'],
      ['home/.config/editor', 'writable'],
    ]);
  });
});
