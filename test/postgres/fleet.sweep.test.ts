import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { hasDatabases } from './databases.js';

const FLEET = path.join(import.meta.dirname, '../../scripts/fleet/main.ts');

describe.skipIf(!hasDatabases)('many machines (`npm run tools` installs the database)', () => {
  test('count one answer of two and do each thing once or ask, and come to rest with nothing unread, through all troubles (F1)', async () => {
    const args = ['--import', 'tsx', FLEET, '--questions', '60', '--workers', '3', '--schedule', 'all'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const stdout = await text(child.stdout);
    expect(stdout).toContain('all: {"questions":60,');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 violations, 0 stranded');
  });
});
