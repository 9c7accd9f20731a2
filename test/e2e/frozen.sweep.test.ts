import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { compiled } from '../helpers/compiled.js';
import { Home, PROGRAM } from '../helpers/program.js';

describe('G26 a program that a tool has frozen', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'is ended by %s within 3 s',
    { timeout: 20_000 },
    async (signal) => {
      using home = new Home();
      const mark = join(home.path, 'frozen');
      writeFileSync(
        join(home.path, 'tools.mjs'),
        `import { writeFileSync } from 'node:fs';
const description = 'Never ends.';
const execute = () => { writeFileSync(${JSON.stringify(mark)}, ''); for (;;); };
export const freeze = { name: 'freeze', description, input: { type: 'object' }, effect: 'none', execute };
`,
      );
      writeFileSync(
        join(home.path, 'script.jsonl'),
        '{"tools":[{"name":"freeze","input":{}}]}\n{"text":"ok"}\n',
      );
      const args = [PROGRAM, 'chat', '-m', 'script:script.jsonl', '--tools', './tools.mjs', '-p', 'go'];
      const child = spawn(process.execPath, args, { cwd: home.path, env: home.env, stdio: 'ignore' });
      const ended = new Promise<unknown>((resolve) => {
        child.on('exit', (...how) => {
          resolve(how);
        });
      });
      while (!existsSync(mark)) await sleep(20);
      child.kill(signal);
      const sent = performance.now();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(performance.now() - sent).toBeLessThan(4_000); // 3 s, on a busy machine
    },
  );

  test(
    'is ended also where no code but its own runs, once it has run for a second',
    { timeout: 20_000 },
    async () => {
      const child = spawn(process.execPath, [compiled(join(import.meta.dirname, 'frozen-program.ts'))], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      child.kill('SIGTERM');
      expect(await ended).toEqual([null, 'SIGKILL']);
    },
  );
});
