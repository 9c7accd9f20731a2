import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { whyNoSandbox } from '../attention/play.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';

const holdsNot = await whyNoSandbox();

const write = (path: string, content = 'x\n') => ({ name: 'write_file', input: { path, content } });

/** A model that makes these calls in one reply, then says done. */
const calling = (home: Home, ...tools: readonly object[]): string =>
  scriptModel(home, [{ tools }, { text: 'done' }]);

const chat = (model: string, ...flags: readonly string[]) => ['chat', '-p', 'go', '--model', model, ...flags];

/** What was decided about the calls, by whom. */
const decisions = (home: Home): readonly unknown[] =>
  home.events().flatMap((event) => {
    if (event['type'] !== 'interrupt-resolved') return [];
    const { resolution, by } = event as { resolution: { action: string }; by: { rule?: string } };
    return [[resolution.action, by.rule]];
  });

const modeOf = (home: Home): unknown => home.events().findLast(({ agent }) => agent !== undefined)?.['agent'];

describe('a session in the mode read-only', () => {
  test('denies what changes or sends something, and reads', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'a.txt'), 'here');
    const model = calling(
      home,
      write('b.txt'),
      { name: 'run_command', input: { argv: ['touch', 'c'], writes: true } },
      { name: 'fetch_url', input: { url: 'https://a.example/' } },
      { name: 'read_file', input: { path: 'a.txt' } },
    );
    const flags = ['--mode', 'read-only', '--allow', 'write_file', '--yes', 'run_command'];
    const ran = await home.run(chat(model, ...flags), { cwd: home.work });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(ran.stderr).toContain('mode read-only: denies anything that changes or sends something\n');
    expect(decisions(home)).toEqual(Array.from({ length: 3 }, () => ['reject', 'mode read-only']));
    expect([existsSync(join(home.work, 'b.txt')), existsSync(join(home.work, 'c'))]).toEqual([false, false]);
    const why = await home.run(['why', home.id, 'write_file']);
    expect(why.stdout).toContain(
      'because the rule `mode read-only` (this session) denies every call that is not read-only',
    );
  });

  test('denies a tool that asks nobody by itself', async () => {
    using home = new Home();
    const { module, paid } = payModule(home);
    const model = calling(home, { name: 'pay', input: { to: 'ann', amount: 2 } });
    const ran = await home.run(chat(model, '-t', module, '--mode', 'read-only'), { cwd: home.work });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(paid()).toEqual([]);
    expect(decisions(home)).toEqual([['reject', 'mode read-only']]);
  });
});

describe('a session in the mode accept-edits', () => {
  test('changes files of the folder without a question, and shows each change once', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'a.txt'), 'one\ntwo\n');
    const model = calling(home, write('a.txt', 'one\n2\n3\n'), write('docs/b.md'));
    const ran = await home.run(chat(model, '--mode', 'accept-edits'), { cwd: home.work });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    const told = ran.stderr.split('\n');
    const first = told.indexOf('✓ accepted  Write a.txt  +2 −1');
    expect(told.slice(first, first + 6)).toEqual([
      '✓ accepted  Write a.txt  +2 −1',
      '    2 − two',
      '    2 + 2',
      '    3 + 3',
      '✓ accepted  Write docs/b.md  new, 1 line',
      '    1 + x',
    ]);
    // They end in any order.
    expect(told.slice(first + 6).join('\n')).toMatch(/^(?:.*[28] bytes\n){2}$/u);
    expect(readFileSync(join(home.work, 'docs/b.md'), 'utf8')).toBe('x\n');
    expect(decisions(home)).toEqual(Array.from({ length: 2 }, () => ['restart', 'mode accept-edits']));
  });

  test('still asks about keys, what runs later, what lies outside or behind a link, and everything else', async () => {
    using home = new Home();
    mkdirSync(join(home.path, 'other'));
    symlinkSync(join(home.path, 'other'), join(home.work, 'out'));
    const model = calling(
      home,
      write('.env'),
      write('package.json'),
      write('.git/hooks/pre-commit'),
      write('../outside.txt'),
      write('out/a.txt'),
      { name: 'run_command', input: { argv: ['ls'], writes: true } },
    );
    const ran = await home.run(chat(model, '--mode', 'accept-edits'), { cwd: home.work });
    expect(ran.status).toBe(3);
    expect(decisions(home)).toEqual([]);
    expect(home.events().filter(({ type }) => type === 'interrupt-raised')).toHaveLength(6);
  });

  test.for(['deny', 'ask'])('is weaker than a rule of the configuration that says %s', async (effect) => {
    using home = new Home();
    writeFileSync(
      join(home.path, 'config.json'),
      JSON.stringify({ rules: { [effect]: ['write_file src/**'] } }),
    );
    const ran = await home.run(chat(calling(home, write('src/a')), '--mode', 'accept-edits'), {
      cwd: home.work,
    });
    expect(ran.status).toBe(effect === 'ask' ? 3 : 0);
    expect(existsSync(join(home.work, 'src/a'))).toBe(false);
  });
});

describe('the mode of a session', () => {
  test('is kept: resume has it and tells it, and a flag changes it for good', async () => {
    using home = new Home();
    const model = scriptModel(home, [
      { text: 'one' },
      { tools: [write('a')] },
      { text: 'two' },
      { tools: [write('b')] },
      { text: 'three' },
    ]);
    await home.run(chat(model, '--mode', 'accept-edits'), { cwd: home.work });
    const again = await home.run(['resume', home.id, '-p', '--message', 'again'], { cwd: home.work });
    expect(again.stdout).toBe('two\n');
    expect(again.stderr).toContain('mode accept-edits: changes files here');
    expect(existsSync(join(home.work, 'a'))).toBe(true);
    const strict = await home.run(['resume', home.id, '-p', '--message', 'more', '--mode', 'read-only'], {
      cwd: home.work,
    });
    expect(strict.stderr).toContain(
      'mode read-only: denies anything that changes or sends something (it was accept-edits)\n',
    );
    expect(existsSync(join(home.work, 'b'))).toBe(false);
    expect(modeOf(home)).toMatchObject({ mode: 'read-only' });
  });

  test('gives way to a stricter one of the environment, and to no other', async () => {
    using home = new Home();
    const model = scriptModel(home, [{ text: 'one' }, { tools: [write('a')] }, { text: 'two' }]);
    await home.run(chat(model, '--mode', 'accept-edits'), { cwd: home.work });
    const resume = ['resume', home.id, '-p', '--message', 'again'];
    const strict = await home.run(resume, { cwd: home.work, env: { HITL_MODE: 'read-only' } });
    expect(strict.stderr).toContain('(it was accept-edits)\n');
    expect(existsSync(join(home.work, 'a'))).toBe(false);
    const wide = await home.run(resume, { cwd: home.work, env: { HITL_MODE: 'accept-edits' } });
    expect(wide.stderr).toContain('mode read-only: denies anything that changes or sends something\n');
  });

  test('is chosen at the prompt, from the next call on', async () => {
    using home = new Home();
    const model = scriptModel(home, [
      { tools: [write('a')] },
      { text: 'one' },
      { tools: [write('b')] },
      { text: 'two' },
    ]);
    const ran = await home.run(['chat', '--model', model, '--mode', 'accept-edits'], {
      input: 'go\n/mode read-only\n/mode\nagain\n',
      cwd: home.work,
    });
    expect(ran.stderr).toContain(
      'Change it: /mode read-only · /mode ask · /mode accept-edits · /mode auto\n',
    );
    expect([existsSync(join(home.work, 'a')), existsSync(join(home.work, 'b'))]).toEqual([true, false]);
    expect(modeOf(home)).toMatchObject({ mode: 'read-only' });
    const wrong = await home.run(['chat', '--model', 'demo'], { input: '/mode wild\n', cwd: home.work });
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'unknown mode `wild`\nhint: valid modes: read-only, ask, accept-edits, auto\n',
      ) as string,
    });
  });

  test('of the configuration is that of new sessions; a project may only say a stricter one', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'config.json'), '{"mode":"accept-edits"}');
    const setting = async (...args: readonly string[]) => {
      const { stdout } = await home.run(['config', '--json', ...args], { cwd: home.work });
      const { settings } = JSON.parse(stdout) as {
        settings: { key: string; value: unknown; source: string }[];
      };
      const found = settings.find(({ key }) => key === 'mode');
      return [found?.value, found?.source];
    };
    expect(await setting()).toEqual(['accept-edits', 'configuration']);
    expect(await setting('--mode', 'ask')).toEqual(['ask', 'flag']);
    writeFileSync(join(home.work, 'hitl.config.json'), '{"mode":"read-only"}');
    await home.run(['tools', '--trust'], { cwd: home.work });
    expect(await setting()).toEqual(['read-only', 'project']);
    writeFileSync(join(home.work, 'hitl.config.json'), '{"mode":"accept-edits"}');
    writeFileSync(join(home.path, 'config.json'), '{}');
    await home.run(['tools', '--trust'], { cwd: home.work });
    expect(await setting()).toEqual(['ask', 'default']);
  });

  test('is a rule among the others: hitl rules lists it, and explains what it decides', async () => {
    using home = new Home();
    const run = async (...args: readonly string[]) =>
      (await home.run(args, { cwd: home.work, env: { HITL_MODE: 'accept-edits' } })).stdout;
    expect(await run('rules')).toBe('RULE               FROM\nmode accept-edits  HITL_MODE\n');
    expect(await run('rules', 'test', 'write_file', '{"path":"a","content":"x"}')).toBe(
      'approved: rule `mode accept-edits` (HITL_MODE) allows changes in the working folder by `write_file`\n',
    );
    expect(
      await run('rules', 'test', 'run_command', '{"command":"ls","writes":true}', '--mode', 'read-only'),
    ).toBe('denied: rule `mode read-only` (the command line) denies every call that is not read-only\n');
  });

  test('stands in the row under the prompt and in /status', async () => {
    using home = new Home();
    using screen = new Terminal(home, ['chat', '--mode', 'read-only'], { PWD: home.work });
    await screen.until('\nread-only · ');
    screen.type('/mode accept-edits');
    await screen.until('\naccept-edits · ');
    screen.type('/status');
    await screen.until('accept-edits: changes files here without asking');
  });

  test('auto changes files by commands unasked, what runs later comes not back, and /rewind undoes it', async ({
    skip,
  }) => {
    if (holdsNot !== undefined) return skip(holdsNot);
    using home = new Home();
    writeFileSync(join(home.work, 'a.txt'), 'one\n');
    const command = 'sed -i s/one/two/ a.txt && echo x > package.json && mkdir -p d && echo d > d/e';
    const tools = [{ name: 'run_command', input: { command, writes: true } }];
    const ran = await home.run(chat(calling(home, ...tools), '--mode', 'auto'), { cwd: home.work });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(decisions(home)).toEqual([['restart', 'mode auto']]);
    expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('two\n');
    expect([existsSync(join(home.work, 'package.json')), existsSync(join(home.work, 'd/e'))]).toEqual([
      false,
      true,
    ]);
    expect(ran.stderr).toContain('2 files changed, +2 −1');
    const rewound = await home.run(['rewind', home.id, '--to', '2', '--files'], { cwd: home.work });
    expect(rewound.status, rewound.stderr).toBe(0);
    expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(home.work, 'd/e'))).toBe(false);
  });

  test('auto is refused without a sandbox, at home, and where no copies are kept', async () => {
    using home = new Home();
    const model = scriptModel(home, [{ text: 'done' }]);
    const refused = async (cwd: string, ...flags: readonly string[]): Promise<string> => {
      const { status, stderr } = await home.run(chat(model, '--mode', 'auto', ...flags), { cwd });
      return `${status} ${stderr}`;
    };
    const said = (why: string) =>
      `2 error: mode auto is not available: ${why}\nhint: use another mode: --mode accept-edits\n`;
    expect(await refused(home.work, '--sandbox', 'off')).toBe(said('the sandbox is off'));
    expect(await refused(home.path)).toBe(said('this is your home folder'));
    expect(await refused(home.work, '--no-save')).toBe(
      said('this session’s store does not keep file copies, so nothing could be undone'),
    );
  });

  test('is changed by Shift-Tab while a command runs: it counts from the next call on, and the journal has it', async () => {
    using home = new Home();
    const sleeps = { name: 'run_command', input: { command: 'sleep 4', writes: true } };
    const model = scriptModel(home, [{ tools: [sleeps] }, { tools: [write('a.txt')] }, { text: 'done' }]);
    using screen = new Terminal(home, ['chat', '--model', model, 'go'], { PWD: home.work });
    await screen.until('Run this command?');
    await screen.press('y');
    await screen.until('you approved');
    await screen.press('\u001b[Z');
    await screen.until('mode accept-edits: changes files here without asking');
    await screen.until('✓ accepted  Write a.txt');
    const told = home.events().map(({ type, agent }) => (type === 'agent-changed' ? agent : type));
    const changed = told.findIndex((one) => typeof one === 'object');
    expect(told[changed]).toMatchObject({ mode: 'accept-edits' });
    expect(told.slice(changed)).toContain('interrupt-resolved');
  });
});
