import { describe, expect, test } from 'vitest';

import { keyFrom } from '../../commands/agent/key-command.js';
import { lawful } from '../../commands/config/law.js';

const place = { env: { PATH: process.env['PATH'] }, home: '/', cwd: '/' };
const node = (script: string) => [process.execPath, '-e', script];

describe('a command that gives the key', () => {
  test('is run without a shell, and its one line is the key', async () => {
    expect(await keyFrom(place, node('console.log("sk-" + process.argv[1])').concat('$HOME;x'))).toBe(
      'sk-$HOME;x',
    );
  });

  test.for<[readonly string[], string]>([
    [
      node('console.log("sk-secret-1"); console.error("sk-secret-2"); process.exit(3)'),
      'exited with status 3',
    ],
    [node('console.log("sk-secret-1\\nsk-secret-2")'), 'did not print a key on one line'],
    [node(''), 'did not print a key on one line'],
    [['/nowhere/sk-none'], 'could not be run: ENOENT'],
    [node('setInterval(() => 0, 1000)'), 'did not finish within 1 s'],
  ])('that fails is told without a word of what it printed: %#', async ([command, why]) => {
    const thrown = (await keyFrom(place, command, 1_000).catch((error: unknown) => error)) as Error;
    expect(thrown.message).toContain(why);
    expect(`${thrown.message} ${String(thrown.cause)} ${thrown.stack ?? ''}`).not.toContain('sk-secret');
  });

  test('waits for nothing that it leaves running, and leaves nothing running', async () => {
    const command = ['/bin/sh', '-c', 'sleep 60 & echo sk-of-a-test'];
    expect(await keyFrom(place, command, 5_000)).toBe('sk-of-a-test');
  });

  test('has given it when it exits, whatever keeps its output', async () => {
    const from = performance.now();
    const command = ['/bin/sh', '-c', 'setsid sleep 60 & echo sk-of-a-test'];
    expect(await keyFrom(place, command, 50_000)).toBe('sk-of-a-test');
    expect(performance.now() - from).toBeLessThan(25_000);
  });

  test('is read whole where it ends at once, and bounded where it prints without end', async () => {
    const long = 'k'.repeat(8_000);
    for (let run = 0; run < 20; run += 1)
      expect(await keyFrom(place, ['/bin/sh', '-c', `printf %s ${long}`], 50_000)).toBe(long);
    const endless = ['/bin/sh', '-c', 'setsid yes & yes'];
    await expect(keyFrom(place, endless, 50_000)).rejects.toThrow('printed too much');
  });

  test('counts in a person’s own configuration only', () => {
    expect(lawful({ apiKeyCommand: ['evil'] }, {}, '/p')).toMatchObject({
      config: {},
      problems: ['`apiKeyCommand` in /p ignored: it can only be set in your own configuration'],
    });
  });
});
