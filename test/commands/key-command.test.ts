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

  test('counts in a person’s own configuration only', () => {
    expect(lawful({ apiKeyCommand: ['evil'] }, {}, '/p')).toMatchObject({
      config: {},
      problems: ['`apiKeyCommand` in /p ignored: it can only be set in your own configuration'],
    });
  });
});
