import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { hasDatabases } from './databases.js';

const BUFFERS = path.join(import.meta.dirname, '../fleet/buffers.ts');
const OPERATIONS = 25;

describe.skipIf(!hasDatabases)('what is read (`npm run tools` installs the database)', () => {
  test('does not grow with the sessions that wait: R8, and section 6 of the trial', async () => {
    const args = ['--import', 'tsx', BUFFERS, '--sizes', '1000,5000', '--idle', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    const rows = lines.filter((line) => line.startsWith('| ')).slice(2);
    expect(rows.filter((line) => line.includes('too much'))).toEqual([]);
    expect(rows).toHaveLength(OPERATIONS);
    expect(lines.at(-1)).toBe('each reads at most 1.3 times as much, or a level of an index more');
  });
});
