import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { EXAMPLES } from '../helpers/example.js';
import { Home, lines } from '../helpers/program.js';

/** A copy of an example's workflow as a file, whose files may be changed. */
function copied(home: Home, change: { readonly file: string; readonly from: string; readonly to: string }) {
  for (const file of ['flow.yaml', 'parts.ts'])
    cpSync(join(EXAMPLES, 'runbook', file), join(home.path, file));
  alter(home, change);
}

function alter(home: Home, { file, from, to }: { file: string; from: string; to: string }): void {
  const text = readFileSync(join(home.path, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(join(home.path, file), text.replace(from, to));
}

const NOTHING = { file: 'flow.yaml', from: 'name: runbook', to: 'name: runbook' };

describe('hitl run flow.yaml', () => {
  test('finds the file in a folder, and its parts beside it', async () => {
    using home = new Home();
    copied(home, NOTHING);
    const ran = await home.run(['run', '.', 'shop', '--trust', '--quiet'], {
      cwd: home.path,
      input: lines('roll_back', 'y', 'y'),
    });
    expect(ran).toEqual({ status: 0, stdout: 'shop is well again: rolled back shop\n', stderr: '' });
  });

  test.each([
    {
      file: 'flow.yaml',
      from: 'to: act }',
      to: 'to: atc }',
      says: 'flow.yaml:28:25: edges[1].to: unknown node `atc`; did you mean `act`?',
    },
    {
      file: 'flow.yaml',
      from: 'run: close',
      to: 'run: clsoe',
      says: 'clsoe',
    },
    { file: 'flow.yaml', from: 'kind: human', to: 'kind: hmuan', says: 'did you mean `human`?' },
    {
      file: 'parts.ts',
      from: 'wait: ()',
      to: 'other: 1, wait: ()',
      says: 'functions.other: it is not a function',
    },
    { file: 'parts.ts', from: 'tools = [', to: 'tools = [{},', says: 'tools.0: it is not a tool' },
    { file: 'parts.ts', from: 'import { appendFile', to: 'import { apendFile } }', says: 'syntax error' },
  ])('is refused with status 2 for `$to`, and nothing is kept', async ({ says, ...change }) => {
    using home = new Home();
    copied(home, change);
    const { status, stderr } = await home.run(['run', 'flow.yaml', 'shop', '--trust'], { cwd: home.path });
    expect({ status, says: stderr.includes(says), stderr, ids: home.ids() }).toEqual({
      status: 2,
      says: true,
      stderr,
      ids: [],
    });
  });

  test('is not taken up again with parts that were changed since, unless a person trusts them (G34)', async () => {
    using home = new Home();
    copied(home, NOTHING);
    expect((await home.run(['run', 'flow.yaml', 'shop', '--trust'], { cwd: home.path })).status).toBe(3);
    alter(home, { file: 'parts.ts', from: "'waited'", to: "'rested'" });
    const refused = await home.run(['resume', home.id], { cwd: home.path, input: lines('wait', 'y') });
    expect({ status: refused.status, told: refused.stderr.includes('not trusted') }).toEqual({
      status: 2,
      told: true,
    });
    const trusted = await home.run(['resume', home.id, '--trust'], {
      cwd: home.path,
      input: lines('wait'),
    });
    expect(trusted.status).toBe(3);
  });
});
