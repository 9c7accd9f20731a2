import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { detectSandbox } from '../../src/tools/index.js';
import { Home } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';

const found = await detectSandbox();
const why = 'why' in found ? found.why : '';

describe('the check of the sandbox', () => {
  test('says how to get one where there is none', async () => {
    using home = new Home();
    const { stdout } = await home.run(['doctor']);
    expect(stdout).toContain(why === '' ? 'ok      sandbox: bubblewrap\n' : `warn    sandbox: ${why}\n`);
  });
});

describe.skipIf(why !== '')('a command in the sandbox', () => {
  /** What a command prints that reads two files of the person's home directory. */
  async function seen(config: object, project: object = {}): Promise<unknown> {
    using home = new Home();
    const person = mkdtempSync(join(tmpdir(), 'hitl-person-'));
    try {
      mkdirSync(join(person, 'tools'));
      writeFileSync(join(person, 'tools/notes'), 'tools\n');
      writeFileSync(join(person, '.netrc'), 'key\n');
      writeFileSync(join(home.path, 'config.json'), JSON.stringify(config));
      writeFileSync(join(home.work, 'hitl.config.json'), JSON.stringify(project));
      const command = 'cat ~/tools/notes ~/.netrc 2>/dev/null; echo end';
      const model = scriptModel(home, [
        { tools: [{ name: 'run_command', input: { command, writes: true } }] },
        { text: 'done' },
      ]);
      const args = ['chat', '-p', 'go', '--model', model, '--yes', 'run_command', '--trust'];
      await home.run(args, { cwd: home.work, env: { HOME: person } });
      const settled = home.events().find(({ type }) => type === 'tool-settled');
      return settled?.['outcome'];
    } finally {
      rmSync(person, { recursive: true });
    }
  }
  const printed = (output: string) => ({
    type: 'output',
    output: { exitCode: 0, signal: null, output },
  });

  test('sees nothing of the home directory but what the person added', async () => {
    expect(await seen({})).toEqual(printed('end\n'));
    expect(await seen({ sandboxReads: ['~/tools', '~/missing'] })).toEqual(printed('tools\nend\n'));
  });

  test('that only reads runs without a question, three at once, and is told as what it was (A1)', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'a.txt'), 'one\n');
    const commands = ['cat a.txt', 'ls | wc -l', 'rm -f a.txt'];
    const model = scriptModel(home, [
      { tools: commands.map((command) => ({ name: 'run_command', input: { command } })) },
      { text: 'done' },
    ]);
    const ran = await home.run(['chat', '-p', 'go', '--model', model], { cwd: home.work });
    expect([ran.status, ran.stdout]).toEqual([0, 'done\n']);
    const events = home.events();
    expect(events.filter(({ type }) => type === 'interrupt-raised')).toEqual([]);
    expect(events.filter(({ type }) => type === 'tool-started').map(({ effect }) => effect)).toEqual([
      ...['none', 'none', 'none'],
    ]);
    const outputOf = (ref: unknown) =>
      events.find((event) => event['type'] === 'tool-settled' && event['ref'] === ref)?.['outcome'];
    const outputs = events.filter(({ type }) => type === 'tool-started').map(({ ref }) => outputOf(ref));
    expect(outputs).toMatchObject([
      { output: { output: 'one\n' } },
      { output: { output: '1\n' } },
      { output: { exitCode: 1, notes: [expect.stringContaining('`writes: true`')] } },
    ]);
    expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('that only reads runs in the mode read-only; one that writes is denied', async () => {
    using home = new Home();
    const model = scriptModel(home, [
      {
        tools: [
          { name: 'run_command', input: { command: 'echo one' } },
          { name: 'run_command', input: { command: 'echo two', writes: true } },
        ],
      },
      { text: 'done' },
    ]);
    const ran = await home.run(['chat', '-p', 'go', '--model', model, '--mode', 'read-only'], {
      cwd: home.work,
    });
    expect(ran.status).toBe(0);
    const events = home.events();
    expect(events.filter(({ type }) => type === 'tool-settled')).toMatchObject([
      { outcome: { type: 'output', output: { output: 'one\n' } } },
    ]);
    expect(events.filter(({ type }) => type === 'interrupt-resolved')).toMatchObject([
      { resolution: { action: 'reject' }, by: { rule: 'mode read-only' } },
    ]);
  });

  test('sees no more because a project says so, trusted or not', async () => {
    expect(await seen({}, { sandboxReads: ['~/tools', '~/.netrc'] })).toEqual(printed('end\n'));
  });
});
