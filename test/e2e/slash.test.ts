import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { scriptModel } from '../helpers/tool-module.js';

/** Lines at the prompt of a chat without a terminal, and what was said on stderr. */
async function typed(home: Home, lines: readonly string[], args: readonly string[] = []) {
  return home.run(['chat', ...args], { input: lines.map((line) => `${line}\n`).join(''), cwd: home.work });
}

function git(home: Home, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=a@example.com', ...args], {
    cwd: home.work,
    env: home.env,
  });
}

describe('a slash command', () => {
  test.for([
    ['/save foo', 'error: `/save` accepts no arguments\nhint: type `/save`\n'],
    ['/rewind', 'error: `/rewind` requires <turns>\nhint: type `/rewind <turns>`\n'],
    [
      '/hel',
      'error: unknown command `/hel`\nhint: did you mean `/help`? `/help` lists commands; type `//hel` to send it as text\n',
    ],
  ] as const)('%s in a script is an error that says what is meant', async ([line, said]) => {
    using home = new Home();
    const { status, stderr } = await typed(home, [line], ['--quiet']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: said });
  });

  test('`/save` prints the path of the transcript', async () => {
    using home = new Home();
    const { status, stderr } = await typed(home, ['Who are you?', '/save'], ['--quiet']);
    const path = /^saved: (.+transcript\.json)$/mu.exec(stderr)?.[1] ?? '';
    expect({ status, exists: existsSync(path) }).toEqual({ status: 0, exists: true });
    expect(path).toContain(home.id);
  });

  test('`/model` goes on with another model in the same session, and the session keeps it', async () => {
    using home = new Home();
    const first = scriptModel(home, [{ text: 'I am the first one.' }]);
    const { status, stdout } = await typed(
      home,
      ['Who are you?', '/model demo', 'Who are you?'],
      ['--quiet', '--model', first],
    );
    expect(status).toBe(0);
    expect(stdout).toContain('I am the first one.');
    expect(stdout).toContain('Try one of these:');
    const changed = home.events().filter(({ type }) => type === 'agent-changed');
    expect(changed.map(({ agent }) => (agent as { model: string }).model)).toEqual(['demo']);
  });

  test('`/model` with a model that cannot be made changes nothing', async () => {
    using home = new Home();
    const { status, stderr } = await typed(home, ['/model nobody'], ['--quiet']);
    expect(status).toBe(2);
    expect(stderr).toContain('unknown model `nobody`');
  });

  test.for([[], ['--no-save']])('`/review` lists what ran without a question, with %j', async (args) => {
    using home = new Home();
    const { status, stderr } = await typed(
      home,
      ['/review', 'Transfer 50 to DEF456', '/review'],
      ['--quiet', ...args],
    );
    expect([status, stderr.match(/Nothing to review\./gu)?.length]).toEqual([0, 1]);
    expect(stderr).toContain('  1 transfer_money call  the tool does not ask\n');
    expect(stderr).toMatch(/ {4}\d+ {2}just now {2}Transfer 50 to DEF456 {2}done\n/u);
    expect(stderr.includes('mark them as seen: /review seen\n')).toBe(args.length === 0);
  });

  test('`/review seen` marks what it lists, and nothing that runs later', async () => {
    using home = new Home();
    const { status, stderr } = await typed(
      home,
      ['Transfer 50 to DEF456', '/review seen', '/review', 'Transfer 60 to DEF456', '/review'],
      ['--quiet'],
    );
    expect(status).toBe(0);
    const told = stderr.match(/^Marked .+|^Nothing .+|(?<=^ {4}\d+ {2}just now {2})Transfer \d+/gmu);
    expect(told).toEqual(['Transfer 50', 'Marked 1 call as seen.', 'Nothing to review.', 'Transfer 60']);
  });

  test('`/diff` shows what was written since the session started against what was committed then', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'old.txt'), 'as it was\n');
    writeFileSync(join(home.work, 'dirty.txt'), 'committed\n');
    git(home, 'init', '-q');
    git(home, 'add', '.');
    git(home, 'commit', '-q', '-m', 'first');
    writeFileSync(join(home.work, 'dirty.txt'), 'changed before the session\n');
    using terminal = new Terminal(home, ['chat', '--yes', 'write_file', 'edit_file'], { PWD: home.work });
    await terminal.until('\n>');
    terminal.type('Write "hello" to notes.txt');
    await terminal.until('Wrote `notes.txt`');
    await terminal.until('\n>');
    terminal.type('Replace "as it was" with "as it is" in old.txt');
    await terminal.until('approved  Edit old.txt');
    terminal.type('/diff');
    await terminal.until('Edit old.txt  +1 −1\n  1 − as it was\n  1 + as it is\n');
    expect(terminal.shown).toContain('New notes.txt  +1 −0\n  1 + hello\n');
    expect(terminal.shown).not.toContain('dirty.txt');
    await terminal.press('\u0004');
    await terminal.ended;
  });

  test('`/diff` starts nothing that the repository names', async () => {
    using home = new Home();
    const ran = join(home.work, 'ran');
    const script = join(home.work, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    writeFileSync(join(home.work, '.gitattributes'), '*.txt filter=evil diff=evil\n');
    writeFileSync(join(home.work, 'a.txt'), 'one\n');
    git(home, 'init', '-q');
    git(home, 'add', '.');
    git(home, 'commit', '-q', '-m', 'first');
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.textconv',
      'core.fsmonitor',
      'diff.external',
    ])
      git(home, 'config', key, script);
    execFileSync('rm', ['-f', ran]);
    const { stderr } = await typed(home, ['Write "two" to a.txt', 'y', '/diff'], ['--quiet']);
    expect(stderr).toContain('Edit a.txt  +1 −1\n  1 − one\n');
    expect(() => execFileSync('test', ['!', '-e', ran])).not.toThrow();
  });

  test('`/context` says what fills the context, and `/cost` what it cost', async () => {
    using home = new Home();
    const { stderr } = await typed(home, ['What is my balance?', '/context', '/cost'], ['--quiet']);
    expect(stderr).toMatch(/^about [\d,]+ tokens$/mu);
    expect(stderr).toMatch(/^ {2}14 tools +about [\d,]+$/mu);
    expect(stderr).toMatch(/^ {2}tool results +about \d+$/mu);
    expect(stderr).toContain('0 tokens in, 0 out, $0\n');
  });
});
