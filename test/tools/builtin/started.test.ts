import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { tempFolders } from '../temp-folder.js';
import { asked, builtin } from './builtin.js';

const folder = tempFolders();

describe('what the program starts or loads (A7)', () => {
  test('a change of it says so, and is no matter of a pattern', async () => {
    const { path: cwd } = await folder();
    const starts = [
      { path: path.join(cwd, 'notify.sh'), why: '`notify`: started when a question is waiting' },
    ];
    const request = await asked(builtin('write_file', cwd, { starts: () => starts }), {
      path: 'notify.sh',
      content: 'x',
    });
    expect(request?.warnings).toEqual(['runs later: `notify`: started when a question is waiting']);
    expect(request?.facts).toMatchObject({
      'rules with patterns': expect.stringContaining('ignored: runs later') as string,
    });
  });

  test('a command that no sandbox keeps from it names it; names that count anywhere are not told', async () => {
    const { path: cwd } = await folder();
    const why = 'it is started';
    const starts = [
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ path: path.join(cwd, name), why })),
      { path: '/elsewhere', why },
      { path: path.join(cwd, 'AGENTS.md'), why, names: true as const },
    ];
    const request = await asked(builtin('run_command', cwd, { starts: () => starts }), { argv: ['true'] });
    expect(request?.warnings?.at(-1)).toBe(
      'can change files that hitl starts or loads: a, b, c, d, e, and 2 more',
    );
  });

  test('git in a folder that looks like a repository says why no rule with words counts (A5)', async () => {
    const root = await folder();
    await root.write({ 'docs/HEAD': 'ref: refs/heads/main\n' });
    const request = await asked(builtin('run_command', root.path), { argv: ['git', 'status'], cwd: 'docs' });
    expect(request?.facts?.['rules with words']).toBe(
      'ignored: git may run another program: the folder itself looks like a repository',
    );
    const led = await asked(builtin('run_command', root.path), { command: 'git -C docs status' });
    expect(led?.facts?.['rules with words']).toBe(
      'ignored: git may run another program: `-C` may point it to another repository',
    );
  });
});
