import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  realpathSync,
} from 'node:fs';
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
    expect((await home.run(['rules'])).stderr).toContain('No rules.');
    const added = await home.run(['rules', 'add', 'deny', 'run_command', 'rm']);
    expect(added).toEqual({
      status: 0,
      stdout: '',
      stderr: `added: deny run_command rm (${home.config})\nit denies commands that start with \`rm\`\n`,
    });
    expect(await home.run(['rules', 'add', 'deny', 'run_command rm'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('already exists') as string,
    });
    expect(JSON.parse(readFileSync(home.config, 'utf8'))).toEqual({
      maxTurns: 7,
      rules: { deny: ['run_command rm'] },
    });
    expect(statSync(home.config).mode & 0o777).toBe(0o600);
    expect(await home.json('rules')).toEqual([{ rule: 'deny run_command rm', from: `${home.config}:3` }]);
    const tested = await home.run(['rules', 'test', 'run_command', '{"command":"rm -rf build"}']);
    expect(tested).toMatchObject({
      status: 0,
      stdout: `denied: rule \`deny run_command rm\` (${home.config}:3) denies commands that start with \`rm\`\n`,
    });
    const statusOf = async (command: string): Promise<number> =>
      (await home.run(['rules', 'test', '--exit-code', 'run_command', JSON.stringify({ command })])).status;
    expect([await statusOf('rm -rf build'), await statusOf('ls')]).toEqual([9, 3]);
    expect((await home.run(['rules', 'remove', 'deny', 'run_command', 'rm'])).status).toBe(0);
    expect(home.rules()).toEqual({ deny: [] });
    expect((await home.run(['rules', 'remove', 'deny', 'run_command', 'rm'])).status).toBe(2);
  });

  test('that the shell has made of names of files is refused: `*` has to be quoted', async () => {
    using home = new Home();
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(home.work, name), '');
    const added = await home.run(['rules', 'add', 'ask', 'a.txt', 'b.txt', 'needs', '2'], { cwd: home.work });
    expect(added).toMatchObject({
      status: 2,
      stderr: `error: the shell replaced \`*\` with the file names in this folder: a.txt, …\nhint: quote it: hitl rules add ask '*' …\n`,
    });
    expect((await home.run(['rules', 'add', 'ask', '*'], { cwd: home.work })).status).toBe(0);
  });

  test('the list names the folder of a rule that was added with --here', async () => {
    using home = new RuledHome();
    const here = realpathSync(home.work);
    const run = async (...words: readonly string[]) => home.run(['rules', ...words], { cwd: home.work });
    await run('add', 'deny', 'list_files', '--here');
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([
      { rule: 'deny list_files', folder: here },
    ]);
    expect((await run()).stdout).toMatch(/^RULE +FOLDER +FROM\n/u);
    expect((await run('remove', '--help')).stdout).toContain('remove the rule of the working directory');
    expect((await run('remove', 'deny', 'list_files', '--here')).status).toBe(0);
  });

  test('a rule of a file about a tool that is not there is told, with the one that was meant (adopter 2)', async () => {
    using home = new RuledHome();
    home.configure({ rules: { deny: ['run_comand', 'elsewhere'] } });
    const ran = await home.run(home.calls('list_files', {}));
    const told = ran.stderr.split('\n').filter((line) => line.includes('matches no tool'));
    expect(told).toEqual([
      expect.stringContaining(
        `rule \`deny run_comand\` (${home.config}:1) matches no tool; did you mean \`run_command\`?`,
      ),
    ]);
  });

  test('says where an allow ends, and that a stronger rule makes it useless (adopter 2, adopter 4)', async () => {
    using home = new RuledHome();
    home.configure({ rules: { deny: ['run_command git'] } });
    const added = async (...words: readonly string[]) =>
      (await home.run(['rules', 'add', 'allow', ...words])).stderr.split('\n').slice(1, -1);
    expect([await added('run_command', 'cat', '…'), await added('run_command', 'git', 'status')]).toEqual([
      [
        'it allows commands that start with `cat` in this folder; hitl still asks if an argument may point outside the working folder or to a file that often contains keys, or can contain a path or a command',
      ],
      [
        'it allows the command `git status` in this folder',
        `warning: this rule never applies: \`deny run_command git\` (${home.config}:1) overrides it`,
      ],
    ]);
  });

  test('a quoted clause is refused when it is added and when it is read, and one person is not enough (adopter 2)', async () => {
    using home = new RuledHome();
    const clause = 'needs 2 of @ops, not whoever asked';
    const added = await home.run(['rules', 'add', 'ask', 'run_command', 'git', 'push', clause]);
    expect([added.status, existsSync(home.config)]).toEqual([2, false]);
    home.configure({ rules: { ask: [`run_command git push '${clause}'`] } });
    const listed = await home.run(['rules']);
    expect([listed.status, listed.stderr]).toEqual([
      2,
      expect.stringContaining(`in ${home.config}:1 (the part about people is not recognized`),
    ]);
    const push = home.calls('run_command', { argv: ['git', 'push'] });
    const ran = await home.run([...push, '--answer', 'i1=y', '--dangerously-approve-all']);
    const started = home.events().some(({ type }) => type === 'tool-started');
    expect([ran.status, started, ran.stderr]).toEqual([
      2,
      false,
      expect.stringContaining('no eligible approver: this can’t be approved') as string,
    ]);
  });

  test('an allow of a command that reads asks about what lies outside, and names it (adopter 4)', async () => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['run_command cat …'] } });
    const test = (file: string) =>
      home.json('rules', 'test', 'run_command', `{"argv":["cat","${file}"],"writes":true}`);
    expect(await Promise.all([test('notes.md'), test('../outside.txt'), test('.env')])).toMatchObject([
      { outcome: 'approved' },
      {
        outcome: 'asked',
        why: expect.stringContaining('`../outside.txt` may lead out of the working folder') as string,
      },
      { outcome: 'asked', why: expect.stringContaining('`.env` may lead out') as string },
    ]);
    const ran = await home.run(home.calls('run_command', { argv: ['cat', '../outside.txt'], writes: true }));
    expect([ran.status, home.decisions()]).toEqual([3, []]);
  });

  test('the reason is why the rule decides, in a test and in the question (adopter 17)', async () => {
    using home = new RuledHome();
    home.configure({ rules: { ask: ['run_command git push'], allow: ['run_command git log …'] } });
    const why = 'because `git log` may run another program';
    expect(await home.json('rules', 'test', 'run_command', '{"command":"git log --oneline"}')).toEqual({
      tool: 'run_command',
      input: expect.anything() as unknown,
      outcome: 'asked',
      why: `rule \`ask run_command git push\` (${home.config}:1) asks about commands that start with \`git push\`, and this may match, ${why}`,
      rule: 'ask run_command git push',
      from: `${home.config}:1`,
    });
    const ran = await home.run(home.calls('run_command', { command: 'git log --oneline' }));
    expect([ran.status, ran.stderr.replaceAll(/\s+/gu, ' ')]).toEqual([3, expect.stringContaining(why)]);
  });

  test('says what would happen without a rule too', async () => {
    using home = new RuledHome();
    expect(await home.json('rules', 'test', 'run_command', '{"command":"ls","writes":true}')).toMatchObject({
      outcome: 'asked',
      why: 'the tool asks before it runs, and no rule matches',
    });
    expect(await home.json('rules', 'test', 'list_files', '{}')).toMatchObject({ outcome: 'runs' });
    expect(await home.json('rules', 'test', 'run_command', '{}')).toMatchObject({ outcome: 'refused' });
    expect(
      await home.json(
        'rules',
        'test',
        'run_command',
        JSON.stringify({ ...RM, writes: true }),
        '--yes',
        'run_command',
      ),
    ).toMatchObject({ outcome: 'approved', rule: '--yes run_command' });
  });

  test.for([
    ['rules', 'test', 'no_such_tool', '{}'],
    ['rules', 'test', 'run_command', '{'],
    ['rules', 'add', 'forbid', 'run_command'],
    ['rules', 'add', 'allow', '*'],
    ['rules', 'add', 'deny', 'fetch_url now or never'],
    ['rules', 'add', 'deny', 'read_fil'],
    ['rules', 'add', 'deny', 'run_command rm $HOME'],
    ['rules', 'add', 'allow', 'run_command when read-only'],
    ['rules', 'add', 'deny', 'run_command {"comand":"ls"}'],
  ])('refuses %j with status 2, and changes nothing', async (args) => {
    using home = new RuledHome();
    expect({ status: (await home.run(args)).status, made: existsSync(home.config) }).toEqual({
      status: 2,
      made: false,
    });
  });

  test.for([
    ['writefile x', 'write_file'],
    ['write x', 'write_file'],
    ['run_comand npm test', 'run_command'],
    ['readfile', 'read_file'],
  ] as const)('says of %j that the tool is unknown, and which one may be meant', async ([words, meant]) => {
    using home = new RuledHome();
    const [tool = ''] = words.split(' ');
    expect((await home.run(['rules', 'add', 'allow', ...words.split(' ')])).stderr).toBe(
      `error: rule \`allow ${words}\` would never match: unknown tool \`${tool}\`\n` +
        `hint: did you mean \`${meant}\`? For a tool from a module, add --tools <module>\n`,
    );
  });

  test('G35 a rule that cannot be read asks, is said, and is status 2 in the list', async () => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['list_files', 'list_files a//b'], denny: ['fetch_url'] } });
    const { status, stderr } = await home.run(['rules']);
    expect(status).toBe(2);
    expect(stderr).toContain('`list_files` will ask');
    expect(stderr).toContain('unknown effect `denny`): every tool will ask');
    const ran = await home.run([...home.calls('list_files', {}), '--quiet', '--dangerously-approve-all']);
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain('warning: invalid rule `allow list_files a//b`');
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
          {
            type: 'rule',
            rule: 'deny run_command rm',
            from: `${home.config}:1`,
            says: 'denies commands that start with `rm`',
          },
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
      (await home.run(home.calls('run_command', { ...input, writes: true }), { cwd: home.work })).status;
    expect(await statusOf({ argv: ['echo', 'all', 'you'] })).toBe(0);
    expect(home.decisions()).toEqual([
      [
        { action: 'restart' },
        {
          type: 'rule',
          rule: 'allow run_command echo all …',
          from: `${home.config}:1`,
          says: 'allows commands that start with `echo all`',
        },
      ],
    ]);
    expect(await statusOf({ argv: ['echo', 'hi'] })).toBe(0);
    expect(await statusOf({ argv: ['echo', 'hi', 'you'] })).toBe(3);
    expect(await statusOf({ command: 'echo hi; ls' })).toBe(3);
  });

  test.for([
    [{ argv: ['echo', 'hi', 'you'], writes: true }, 'end it with `…` to allow any further arguments'],
    [
      { argv: ['echo', 'hi'], cwd: '/usr/share', writes: true },
      'the command runs outside the working directory',
    ],
    [{ argv: ['echo', 'hi'], network: true }, 'the command asks for network access'],
  ] as const)('says why it does not approve %j: %s', async ([input, why]) => {
    using home = new RuledHome();
    home.configure({ rules: { allow: ['run_command echo hi'] } });
    expect(await home.json('rules', 'test', 'run_command', JSON.stringify(input))).toMatchObject({
      outcome: 'asked',
      why: expect.stringContaining(why) as string,
    });
  });
});

describe('rules of every origin', () => {
  const WRITE = { path: 'docs/a.md', content: 'x' };

  test.for<readonly [string, (home: RuledHome) => readonly string[]]>([
    [
      'the configuration',
      (home) => {
        home.configure({ rules: { allow: ['write_file docs/**'] } });
        return [];
      },
    ],
    [
      'the configuration, for this folder',
      (home) => {
        home.configure({ rules: { folders: { [home.work]: { allow: ['write_file docs/**'] } } } });
        return [];
      },
    ],
    ['--allow', () => ['--allow', 'write_file docs/**']],
    ['--yes', () => ['--yes', 'write_file docs/**']],
    [
      'an answers file',
      (home) => {
        const file = join(home.path, 'answers.jsonl');
        writeFileSync(file, '{"allow":"write_file docs/**"}\n');
        return ['--answers', file];
      },
    ],
  ])('%s allow by the same scopes, and no more', async ([, flagsOf]) => {
    using home = new RuledHome();
    const flags = flagsOf(home);
    const statusOf = async (path: string): Promise<number | null> => {
      const call = home.calls('write_file', { ...WRITE, path });
      return (await home.run([...call, ...flags], { cwd: home.work })).status;
    };
    mkdirSync(join(home.work, 'docs'));
    expect([
      await statusOf('docs/a.md'),
      await statusOf('a.md'),
      await statusOf('docs/../a.md'),
      await statusOf('docs/.env'),
    ]).toEqual([0, 3, 3, 3]);
  });

  test('of another folder do not count here', async () => {
    using home = new RuledHome();
    home.configure({ rules: { folders: { '/elsewhere': { allow: ['write_file'] } } } });
    expect((await home.run(home.calls('write_file', WRITE), { cwd: home.work })).status).toBe(3);
  });

  test('that ask win over every one that allows', async () => {
    using home = new RuledHome();
    home.configure({ rules: { ask: ['write_file docs/**'] } });
    const call = home.calls('write_file', WRITE);
    for (const flags of [['--yes', 'write_file'], ['--allow', 'write_file'], ['--dangerously-approve-all']])
      expect((await home.run([...call, ...flags], { cwd: home.work })).status).toBe(3);
  });

  test('are added for the folder alone with --here, and taken back there', async () => {
    using home = new RuledHome();
    const rule = ['allow', 'write_file', 'docs/**', '--here'];
    await home.run(['rules', 'add', ...rule], { cwd: home.work });
    expect(home.rules()).toEqual({ folders: { [home.work]: { allow: ['write_file docs/**'] } } });
    await home.run(['rules', 'add', 'deny', 'write_file', 'docs/x'], { cwd: home.work });
    expect(home.rules()).toEqual({
      folders: { [home.work]: { allow: ['write_file docs/**'] } },
      deny: ['write_file docs/x'],
    });
    expect((await home.run(['rules', 'remove', ...rule], { cwd: home.work })).status).toBe(0);
    expect(home.rules()).toEqual({
      folders: { [home.work]: { allow: [] } },
      deny: ['write_file docs/x'],
    });
  });

  test('deny a file that its tool would read without a question, also through a link', async () => {
    using home = new RuledHome();
    home.configure({ rules: { deny: ['read_file private/**'] } });
    mkdirSync(join(home.work, 'private'));
    writeFileSync(join(home.work, 'private', 'a'), 'SECRET');
    symlinkSync('private', join(home.work, 'open'));
    for (const path of ['private/a', 'open/a', 'private/../private/a']) {
      expect((await home.run(home.calls('read_file', { path }), { cwd: home.work })).status).toBe(0);
      expect(home.decisions()).toMatchObject([[{ action: 'reject' }, { rule: 'deny read_file private/**' }]]);
      rmSync(join(home.path, 'sessions'), { recursive: true });
    }
  });

  test.for([
    ['--allow', 'write_fil', 'did you mean `write_file`?'],
    ['--allow', 'write_file a//b', 'a path cannot have empty parts'],
    ['--yes', 'no_such_thing_at_all', 'valid tools:'],
  ] as const)('%s %s is refused: %s', async ([flag, rule, why]) => {
    using home = new RuledHome();
    const { status, stderr } = await home.run([...home.calls('write_file', WRITE), flag, rule]);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });
});

describe('the rules of a project', () => {
  test('deny and ask once it is trusted, and never allow', async () => {
    using home = new RuledHome();
    const folder = home.work;
    const rules = { allow: ['run_command'], deny: ['list_files'] };
    writeFileSync(join(folder, 'hitl.config.json'), JSON.stringify({ rules }));
    const at = { cwd: folder };
    expect((await home.run([...home.calls('list_files', {}), '--trust'], at)).status).toBe(0);
    expect(home.decisions()).toMatchObject([[{ action: 'reject' }, { rule: 'deny list_files' }]]);
    const { status, stderr } = await home.run(home.calls('run_command', { ...RM, writes: true }), at);
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
    expect(stderr).toContain('rule revoked: transfer_money asks again');
    expect(stderr).toContain('No standing approvals in this session');
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
    expect(stderr).toContain('no rule found for `nothing`');
  });
});
