import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';

class RuledHome extends Home {
  readonly config = join(this.path, 'config.json');

  configure(config: unknown): void {
    writeFileSync(this.config, JSON.stringify(config));
  }

  rules(): unknown {
    return (JSON.parse(readFileSync(this.config, 'utf8')) as { rules?: unknown }).rules;
  }

  async json(...args: readonly string[]): Promise<unknown> {
    const { stdout } = await this.run([...args, '--json'], { cwd: this.work });
    return JSON.parse(stdout);
  }

  /** A chat in which the model makes one call. */
  calls(name: string, input: object): readonly string[] {
    return [
      'chat',
      '-p',
      'go',
      '--model',
      scriptModel(this, [{ tools: [{ name, input }] }, { text: 'done' }]),
    ];
  }

  decisions(): readonly unknown[] {
    return this.events().flatMap((event) =>
      event['type'] === 'interrupt-resolved' ? [[event['resolution'], event['by']]] : [],
    );
  }
}

const RM = { argv: ['rm', '-rf', 'build'] };

describe('hitl rules', () => {
  test('adds, lists, tests and removes rules of the user', async () => {
    using home = new RuledHome();
    home.configure({ maxTurns: 7 });
    expect((await home.run(['rules'])).stderr).toContain('there are no rules');
    const added = await home.run(['rules', 'add', 'deny', 'run_command', 'rm']);
    expect(added).toEqual({ status: 0, stdout: '', stderr: `added: deny run_command rm (${home.config})\n` });
    expect(await home.run(['rules', 'add', 'deny', 'run_command rm'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('it is there already') as string,
    });
    expect(JSON.parse(readFileSync(home.config, 'utf8'))).toEqual({
      maxTurns: 7,
      rules: { deny: ['run_command rm'] },
    });
    expect(statSync(home.config).mode & 0o777).toBe(0o600);
    expect(await home.json('rules')).toEqual([{ rule: 'deny run_command rm', from: home.config }]);
    const tested = await home.run(['rules', 'test', 'run_command', '{"command":"rm -rf build"}']);
    expect(tested).toMatchObject({
      status: 0,
      stdout: `denied: the rule deny run_command rm (${home.config}) denies it\n`,
    });
    expect((await home.run(['rules', 'remove', 'deny', 'run_command', 'rm'])).status).toBe(0);
    expect(home.rules()).toEqual({ deny: [] });
    expect((await home.run(['rules', 'remove', 'deny', 'run_command', 'rm'])).status).toBe(2);
  });

  test('says what would happen without a rule too', async () => {
    using home = new RuledHome();
    expect(await home.json('rules', 'test', 'run_command', '{"command":"ls"}')).toMatchObject({
      outcome: 'asked',
      why: 'the tool asks before it runs, and no rule answers',
    });
    expect(await home.json('rules', 'test', 'list_files', '{}')).toMatchObject({ outcome: 'runs' });
    expect(await home.json('rules', 'test', 'run_command', '{}')).toMatchObject({ outcome: 'refused' });
    expect(
      await home.json('rules', 'test', 'run_command', JSON.stringify(RM), '--yes', 'run_command'),
    ).toMatchObject({ outcome: 'approved', rule: '--yes run_command' });
  });

  test.for([
    ['rules', 'test', 'no_such_tool', '{}'],
    ['rules', 'test', 'run_command', '{'],
    ['rules', 'add', 'forbid', 'run_command'],
    ['rules', 'add', 'allow', '*'],
    ['rules', 'add', 'deny', 'fetch_url now'],
    ['rules', 'add', 'deny', 'run_command rm $HOME'],
  ])('refuses %j with status 2, and changes nothing', async (args) => {
    using home = new RuledHome();
    expect({ status: (await home.run(args)).status, made: existsSync(home.config) }).toEqual({
      status: 2,
      made: false,
    });
  });

  test('G35 a rule that cannot be read asks, is said, and is status 2 in the list', async () => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['list_files', 'list_files all'], denny: ['fetch_url'] } });
    const { status, stderr } = await home.run(['rules']);
    expect(status).toBe(2);
    expect(stderr).toContain('`list_files` is asked about');
    expect(stderr).toContain('there is no effect `denny`): every tool is asked about');
    const ran = await home.run([...home.calls('list_files', {}), '--dangerously-approve-all']);
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain('warning: rule `allow list_files all`');
  });
});

describe('a rule that denies', () => {
  test.for([[], ['--yes', 'run_command'], ['--dangerously-approve-all']])('wins over %j', async (flags) => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['run_command'], deny: ['run_command rm'] } });
    const { status } = await home.run([...home.calls('run_command', RM), ...flags]);
    expect({ status, decisions: home.decisions() }).toEqual({
      status: 0,
      decisions: [
        [
          { action: 'reject', reason: 'the rule `deny run_command rm` denies it' },
          { type: 'rule', rule: 'deny run_command rm' },
        ],
      ],
    });
    expect(home.events().some(({ type }) => type === 'tool-started')).toBe(false);
  });

  test('is for tools too that do not ask by themselves', async () => {
    using home = new RuledHome();
    home.configure({ rules: { deny: ['list_files'] } });
    expect((await home.run(home.calls('list_files', {}))).status).toBe(0);
    expect(home.decisions()).toMatchObject([[{ action: 'reject' }, { rule: 'deny list_files' }]]);
  });

  test('refuses an edit into what it denies', async () => {
    using home = new RuledHome();
    home.configure({ rules: { deny: ['run_command rm'] } });
    const call = home.calls('run_command', { argv: ['ls'] });
    const { status, stderr } = await home.run(call, { input: lines(`edit ${JSON.stringify(RM)}`) });
    expect({ status, decisions: home.decisions() }).toEqual({ status: 2, decisions: [] });
    expect(stderr).toContain('the rule `deny run_command rm` denies it');
  });
});

describe('a rule that allows', () => {
  test('approves its very command, and those that begin with it where it says so', async () => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['run_command echo hi', 'run_command echo all …'] } });
    const statusOf = async (input: object): Promise<number | null> =>
      (await home.run(home.calls('run_command', input), { cwd: home.work })).status;
    expect(await statusOf({ argv: ['echo', 'all', 'you'] })).toBe(0);
    expect(home.decisions()).toEqual([
      [{ action: 'restart' }, { type: 'rule', rule: 'allow run_command echo all …' }],
    ]);
    expect(await statusOf({ argv: ['echo', 'hi'] })).toBe(0);
    expect(await statusOf({ argv: ['echo', 'hi', 'you'] })).toBe(3);
    expect(await statusOf({ command: 'echo hi; ls' })).toBe(3);
  });

  test.for([
    [{ argv: ['echo', 'hi', 'you'] }, 'with `…` behind it, it allows any further arguments'],
    [{ argv: ['echo', 'hi'], cwd: '/' }, 'it does not run inside the working directory'],
    [{ argv: ['echo', 'hi'], network: true }, 'the command asks for the network'],
  ] as const)('says why it does not approve %j: %s', async ([input, why]) => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['run_command echo hi'] } });
    expect(await home.json('rules', 'test', 'run_command', JSON.stringify(input))).toMatchObject({
      outcome: 'asked',
      why: expect.stringContaining(why) as string,
    });
  });
});

describe('the rules of a project', () => {
  test('deny and ask once it is trusted, and never allow', async () => {
    using home = new RuledHome();
    const folder = join(home.path, 'project');
    mkdirSync(folder);
    const rules = { allow: ['run_command'], deny: ['list_files'] };
    writeFileSync(join(folder, 'hitl.config.json'), JSON.stringify({ rules }));
    const at = { cwd: folder };
    expect((await home.run([...home.calls('list_files', {}), '--trust'], at)).status).toBe(0);
    expect(home.decisions()).toMatchObject([[{ action: 'reject' }, { rule: 'deny list_files' }]]);
    const { status, stderr } = await home.run(home.calls('run_command', RM), at);
    expect(status).toBe(3);
    expect(stderr).toContain('a project can deny and ask, never allow');
  });
});

describe('what was approved for the rest of a session', () => {
  const ALWAYS = ['Transfer 300 to DEF456', '{"action":"restart","always":"tool"}', 'Transfer 400 to GHI789'];

  test('is taken back with /rules, and asked about again', async () => {
    using home = new RuledHome();
    const { status, stderr } = await home.run(['chat'], {
      input: lines(...ALWAYS, '/rules', '/rules remove transfer_money', '/rules', 'Transfer 500 to JKL012'),
    });
    expect({ status, transfers: home.transfers().length }).toEqual({ status: 3, transfers: 2 });
    expect(stderr).toContain('always transfer_money');
    expect(stderr).toContain('transfer_money is asked about again');
    expect(stderr).toContain('nothing is approved for the rest of this session');
    expect(await home.run(['audit', 'verify', home.id])).toMatchObject({ status: 0 });
  });

  test('is listed, tested and taken back from elsewhere', async () => {
    using home = new RuledHome();
    await home.run(['chat'], { input: lines(...ALWAYS) });
    const session = ['--session', home.id];
    expect(await home.json('rules', 'list', ...session)).toEqual([
      { rule: 'always transfer_money', from: `session ${home.id}` },
    ]);
    const test = ['rules', 'test', 'transfer_money', '{"toAccount":"A","amount":900}'];
    expect(await home.json(...test, ...session)).toMatchObject({ rule: 'always transfer_money' });
    const remove = ['rules', 'remove', 'always', 'transfer_money', ...session];
    expect((await home.run(remove)).status).toBe(0);
    expect(await home.json('rules', 'list', ...session)).toEqual([]);
    expect((await home.run(remove)).status).toBe(2);
  });

  test('a script that takes back what is not there is told so', async () => {
    using home = new RuledHome();
    const { status, stderr } = await home.run(['chat'], { input: lines('hello', '/rules remove nothing') });
    expect(status).toBe(2);
    expect(stderr).toContain('there is no rule for `nothing`');
  });
});
