import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { hasDatabases } from './databases.js';

const SOAK = path.join(import.meta.dirname, '../fleet/soak.ts');

describe.skipIf(!hasDatabases)('servers and workers at work (`npm run tools` installs the database)', () => {
  test('do each session to its end, with streams that break off, and without a warning of Node', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', SOAK, '--minutes', '0.3', '--rate', '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [done = '', verdict = ''] = (await text(child.stdout)).trimEnd().split('\n').slice(-2);
    const [, ended, begun, paid, approved] =
      /^(\d+) of (\d+) sessions done, (\d+) payments for (\d+) approvals, 0 troubles$/u.exec(done) ?? [];
    expect([Number(ended) > 0, ended, paid]).toEqual([true, begun, approved]);
    expect(verdict).toMatch(/^soak: \d+ figures grow, 0 warnings of Node$/u); // too short a time to judge growth
  });
});
