import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';

const ASK = 'Transfer 200 to ABC123';
const SECRET = 'sk-ant-0123456789abcdefghij';

type Loose = Record<string, unknown>;

/** A home with two sessions: one that is done, with an edit and something like a key, and one that waits. */
const home = new Home();
let done = '';
let waiting = '';

beforeAll(async () => {
  await home.run(['chat'], { input: lines(ASK, 'edit +{"amount":150}', `my key is ${SECRET}`) });
  done = home.id;
  await home.run(['chat', '-p', 'Transfer 300 to DEF456']);
  waiting = home.ids().find((id) => id !== done) ?? '';
});
afterAll(() => {
  home[Symbol.dispose]();
});

async function json(...args: readonly string[]): Promise<unknown> {
  const { status, stdout } = await home.run([...args, '--json']);
  expect(status).toBe(0);
  return JSON.parse(stdout) as unknown;
}

describe('list and inbox', () => {
  test('list shows sessions, newest first', async () => {
    const { status, stdout } = await home.run(['list']);
    const [head, first, second, ...more] = stdout.trimEnd().split('\n');
    expect({ status, more }).toEqual({ status: 0, more: [] });
    expect(head).toMatch(/^ID +STATE +TURNS +AGE +FOLDER +TITLE$/u);
    expect(first).toMatch(
      new RegExp(`^${waiting} +waiting\\(1\\) +1 +.+ +${process.cwd()} +Transfer 300 to DEF456$`, 'u'),
    );
    expect(second).toMatch(
      new RegExp(`^${done} +done +2 +.+ +${process.cwd()} +Transfer 200 to ABC123$`, 'u'),
    );
  });

  test.for([
    [[], 2],
    [['--state', 'waiting'], 1],
    [['--state', 'failed'], 0],
    [['--search', 'abc123'], 1],
    [['--search', 'nothing like it'], 0],
    [['--limit', '1'], 1],
  ] as const)('list --json %j gives %d', async ([args, count]) => {
    const found = (await json('ls', ...args)) as Loose[];
    expect(found).toHaveLength(count);
  });

  test('inbox has every open question', async () => {
    const found = (await json('inbox')) as Loose[];
    expect(found).toMatchObject([{ session: waiting, id: 'i1', kind: 'confirmation' }]);
    const { stdout } = await home.run(['inbox']);
    expect(stdout).toMatch(/Transfer \d+ to \w+ · transfers above 100/u);
    expect(stdout).toContain(waiting);
  });
});

describe('show and export', () => {
  test('show tells both inputs of an edit', async () => {
    const { stdout } = await home.run(['show', done]);
    expect(stdout).toMatch(/before .*amount: 200/u);
    expect(stdout).toMatch(/after +.*amount: 150/u);
    expect(stdout).not.toContain('\u001b');
  });

  test('show --events is the journal, and --effects what tools did', async () => {
    const { stdout } = await home.run(['show', done, '--events']);
    const events = stdout.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as Loose)['event'])).toEqual(home.events(done));
    const effects = (await json('show', done, '--effects')) as Loose[];
    expect(effects.map(({ input, outcome }) => [input, outcome])).toEqual([
      [{ toAccount: 'ABC123', amount: 200 }, 'asked'],
      [{ toAccount: 'ABC123', amount: 150 }, 'output'],
    ]);
    expect((await home.run(['show', done, '--events', '--effects'])).status).toBe(2);
  });

  test.for(['json', 'genkit', 'anthropic'])('export --format %s is JSON', async (format) => {
    const { status, stdout } = await home.run(['export', done, '--format', format]);
    expect(status).toBe(0);
    expect(stdout).toContain(SECRET);
    expect(JSON.parse(stdout)).toBeInstanceOf(Object);
  });

  test('export --format markdown is a document, and an unknown format is refused', async () => {
    const { stdout } = await home.run(['export', done, '--format', 'markdown']);
    expect(stdout).toMatch(/^# Transfer 200 to ABC123\n/u);
    expect((await home.run(['export', done, '--format', 'pdf'])).status).toBe(2);
  });

  test('export --redact masks what looks like a key', async () => {
    for (const format of ['json', 'genkit', 'anthropic', 'markdown']) {
      const { stdout, stderr } = await home.run(['export', done, '--redact', '--format', format]);
      expect(stdout).not.toContain(SECRET);
      expect(stdout).toContain('[redacted]');
      expect(stderr).toMatch(/secrets? masked/u);
    }
  });

  test('export --output writes no file over another', async () => {
    const file = join(home.path, 'out.json');
    expect((await home.run(['export', done, '--output', file])).status).toBe(0);
    const before = readFileSync(file, 'utf8');
    expect((await home.run(['export', waiting, '--output', file])).status).toBe(6);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('an id', () => {
  test.for([
    ['that nobody has', 'zzzz', 4],
    ['that begins two', '0', 4],
    ['that leaves the folder', '../sessions', 2],
    ['that is a path', '/etc/passwd', 2],
    ['that is the folder', '.', 2],
    ['that is empty', '', 2],
  ] as const)('%s ends every command with %s and a hint', async ([, id, status]) => {
    for (const command of [['show'], ['export'], ['answer'], ['rm', '--yes']]) {
      const words = command[0] === 'answer' ? [...command, id, 'y'] : [...command, id];
      const ran = await home.run(words);
      expect({ words, status: ran.status }).toEqual({ words, status });
      expect(ran.stderr).toMatch(/^error: .+\nhint: .+\n$/u);
    }
    expect(home.ids()).toHaveLength(2);
  });

  test('may be any prefix that is unique', async () => {
    const length = Array.from(done).findIndex((letter, index) => letter !== waiting[index]) + 1;
    const { status, stdout } = await home.run(['show', done.slice(0, length), '--json']);
    expect({ status, id: (JSON.parse(stdout) as Loose)['id'] }).toEqual({ status: 0, id: done });
  });
});

describe('rm', () => {
  test('asks; without a terminal it needs --yes, and one wrong id deletes nothing', async () => {
    using other = new Home();
    await other.run(['chat', '-p', 'hello']);
    const { id } = other;
    expect((await other.run(['rm', id])).status).toBe(2);
    expect((await other.run(['rm', '--yes', id, 'zzzz'])).status).toBe(4);
    expect(other.ids()).toEqual([id]);
    const removed = await other.run(['rm', '--yes', '--json', id]);
    expect({ status: removed.status, ...(JSON.parse(removed.stdout) as Loose) }).toEqual({
      status: 0,
      deleted: [id],
    });
    expect(other.ids()).toEqual([]);
  });
});

describe('tools, config and completion', () => {
  test('tools lists what is offered', async () => {
    const found = (await json('tools')) as Loose[];
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'transfer_money', effect: 'once', origin: 'bank example' }),
    );
    const few = (await json('tools', '--allow-tool', 'get_balance')) as Loose[];
    expect(few.map(({ name }) => name)).toEqual(['get_balance']);
  });

  test('config says where each value comes from', async () => {
    using other = new Home();
    writeFileSync(join(other.path, 'config.json'), '{"maxTurns":7,"system":"Be kind."}');
    const { stdout } = await other.run(['config', '--json', '--max-turns', '9']);
    const { settings } = JSON.parse(stdout) as { settings: Loose[] };
    const sources = settings.flatMap(({ key, value, source }) =>
      value === undefined ? [] : [[key, value, source]],
    );
    expect(sources).toEqual([
      ['model', 'demo', 'environment'],
      ['allowHttp', false, 'default'],
      ['system', 'Be kind.', 'configuration'],
      ['tools', [], 'default'],
      ['mcpEnv', [], 'default'],
      ['mode', 'ask', 'default'],
      ['memory', 'on', 'default'],
      ['sandbox', 'auto', 'default'],
      ['sandboxReads', [], 'default'],
      ['answersFrom', 'here', 'default'],
      ['maxTurns', 9, 'flag'],
      ['compact', 'auto', 'default'],
      ['onToolError', 'tell-model', 'default'],
      ['statusLine', true, 'default'],
      ['sessions', other.sessions, 'default'],
      ['home', other.path, 'environment'],
      ['color', 'off', 'default'],
      ['accessible', false, 'default'],
    ]);
    writeFileSync(join(other.path, 'config.json'), '{"maxTruns":7}');
    const bad = await other.run(['config']);
    expect(bad.status).toBe(2);
    expect(bad.stderr).toMatch(/maxTruns/u);
  });

  test('config names what is used, by the place that says it, and no key', async () => {
    using other = new Home();
    writeFileSync(join(other.path, 'config.json'), '{"baseUrl":"http://127.0.0.1:1","maxTime":"1h30m"}');
    const env = {
      HITL_MODEL: '',
      HITL_TOOLS: '/tmp/none.mjs',
      HITL_MAX_COST: '3',
      ANTHROPIC_BASE_URL: 'http://ann:pw@127.0.0.1:2/',
      ANTHROPIC_API_KEY: 'sk-hidden',
    };
    const { stdout } = await other.run(['config', '--json'], { env });
    const { settings } = JSON.parse(stdout) as { settings: Loose[] };
    const shown = ['model', 'baseUrl', 'tools', 'maxCost', 'maxTime', 'apiKey'];
    expect(settings.filter(({ key }) => shown.includes(String(key)))).toEqual([
      {
        key: 'model',
        value: expect.stringContaining('anthropic:') as string,
        source: 'default',
        from: '',
        does: expect.stringContaining('because `ANTHROPIC_API_KEY` is set') as string,
      },
      { key: 'baseUrl', value: 'http://127.0.0.1:2/', source: 'environment', from: 'ANTHROPIC_BASE_URL' },
      { key: 'tools', value: [], source: 'default', from: '' },
      { key: 'maxCost', value: 3, source: 'environment', from: 'HITL_MAX_COST' },
      {
        key: 'maxTime',
        value: 5_400_000,
        source: 'configuration',
        from: `${join(other.path, 'config.json')}:1`,
      },
      { key: 'apiKey', value: 'set', source: 'environment', from: 'ANTHROPIC_API_KEY' },
    ]);
    expect(stdout).not.toContain('hidden');
  });

  test.for(['bash', 'zsh', 'fish'])('completion %s is a script', async (shell) => {
    const { status, stdout } = await home.run(['completion', shell]);
    expect(status).toBe(0);
    expect(stdout).toContain('hitl __complete');
    const script = join(home.path, `completion.${shell}`);
    writeFileSync(script, stdout);
    const checked = spawnSync(shell, ['-n', script], { encoding: 'utf8' }); // `fish -n` reads no script from stdin
    if (checked.error === undefined) expect(checked).toMatchObject({ status: 0, stderr: '' });
  });

  test('completion in bash offers commands and sessions', async () => {
    const { stdout } = await home.run(['__complete', '--', 'sho']);
    expect(stdout).toMatch(/^show\t/u);
    const ids = await home.run(['__complete', '--', 'show', '']);
    expect(ids.stdout).toContain(done);
    expect((await home.run(['completion', 'tcsh'])).status).toBe(2);
  });

  test.for<[readonly string[], string]>([
    [['chat', '--model', 'claude-sonnet-5-'], 'claude-sonnet-5-5'],
    [['chat', '--model', 'anthropic:claude-sonnet-5-'], 'anthropic:claude-sonnet-5-5'],
    // As bash breaks it: what it replaces is the word behind the colon.
    [['chat', '--model', 'anthropic', ':', 'claude-sonnet-5-'], 'claude-sonnet-5-5'],
    [['chat', '--model', 'ai'], 'ai-sdk:'],
  ])('completion offers the names of models for %j', async ([words, offered]) => {
    const { stdout } = await home.run(['__complete', '--', ...words]);
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([offered, '']);
  });
});

describe('doctor', () => {
  test('looks at the installation', async () => {
    const found = (await json('doctor')) as Loose[];
    expect(found.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['node', 'configuration', 'model', 'sessions', 'store']),
    );
    expect(found.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  test('says that a folder of sessions that others can write is used for nothing', async () => {
    using other = new Home();
    mkdirSync(other.sessions);
    chmodSync(other.sessions, 0o777);
    const { status, stdout } = await other.run(['doctor']);
    expect(status).toBe(1);
    expect(stdout).toContain(
      `failed  sessions: \`${other.sessions}\` is writable by other users (mode 777)\n        hint: check its contents, then run: chmod go-w ${other.sessions}`,
    );
    expect((await other.run(['chat', '-p', 'hi'])).status).toBe(5);
    expect(other.ids()).toEqual([]);
  });

  test('calls a torn session torn, and it resumes', async () => {
    using other = new Home();
    await other.run(['chat', '-p', ASK]);
    const { id } = other;
    appendFileSync(join(other.sessions, id, 'journal.jsonl'), '{"v":1,"seq":8,"prev":"');
    const { status, stdout } = await other.run(['doctor', id]);
    expect({ status, isTorn: stdout.includes('torn') }).toEqual({ status: 0, isTorn: true });
    expect((await other.run(['resume', id], { input: lines('y') })).status).toBe(0);
    expect(other.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
  });

  test('calls a damaged session damaged: nothing writes it, and --salvage copies what is good', async () => {
    using other = new Home();
    await other.run(['chat', '-p', ASK]);
    const { id } = other;
    const file = join(other.sessions, id, 'journal.jsonl');
    const journal = readFileSync(file, 'utf8').split('\n');
    // Inside the event of the fifth line, with good lines behind it.
    journal[4] = (journal[4] ?? '').replace('ABC123', 'XYZ999');
    writeFileSync(file, journal.join('\n'));
    const found = await other.run(['doctor', id]);
    expect(found.status).toBe(5);
    expect(found.stdout).toMatch(/line 5/u);
    expect((await other.run(['resume', id], { input: lines('y') })).status).toBe(5);
    expect((await other.run(['answer', id, 'y', '--digest', other.digest('i1', id)])).status).toBe(5);
    const salvaged = await other.run(['doctor', id, '--salvage']);
    const copy = salvaged.stdout.trim();
    expect({ status: salvaged.status, ids: [...other.ids()].sort() }).toEqual({
      status: 0,
      ids: [id, copy].sort(),
    });
    expect(readFileSync(file, 'utf8')).toBe(journal.join('\n'));
    const resumed = await other.run(['resume', copy], { input: lines('y') });
    expect({ status: resumed.status, transfers: other.transfers(copy) }).toEqual({
      status: 0,
      transfers: [{ toAccount: 'ABC123', amount: 200 }],
    });
  });
});

test('demo plays itself where there is no terminal', async () => {
  using other = new Home();
  const { status, stdout, stderr } = await other.run(['demo']);
  expect(stderr).toContain('End of the tour.');
  expect(stderr).toContain('4 of 6: A cancelled call\n');
  expect(stderr).toContain('6 of 6: A resumed session\n');
  expect(`${stdout}${stderr}`.split('Everything is simulated.')).toHaveLength(2);
  expect({ status, ids: other.ids() }).toEqual({ status: 0, ids: [] });
});

test.for([
  [
    ['list', '--limit', '0'],
    '`--limit` must be a whole number from 1 to 1000000, got `0`',
    'see `hitl list --help`',
  ],
  [
    ['chat', '--mode', 'fast'],
    '`--mode` must be accept-edits, ask, auto or read-only, got `fast`',
    'see `hitl chat --help`',
  ],
  [['rewind', 'x'], 'missing `--to <place>`', 'see `hitl rewind --help`'],
  [['send'], 'missing id', 'see `hitl send --help`'],
  [['models', 'x'], 'too many arguments for `models`: at most 0, got 1', 'see `hitl models --help`'],
  [['config', 'bogus'], 'unknown command `bogus`', 'see `hitl config --help`'],
  [['rules', 'list', 'x'], 'too many arguments for `list`: at most 0, got 1', 'see `hitl rules --help`'],
  [['hook', 'install', 'foo'], '`agent` must be claude-code or codex, got `foo`', 'see `hitl hook --help`'],
  [['mcp', 'login', 'foo'], 'no server `foo` found', 'list configured servers: hitl mcp list'],
  [['chatt'], 'unknown command `chatt`', 'did you mean `chat`? See `hitl --help`'],
  [
    ['chat', '--modle', 'x'],
    'unknown option `--modle`',
    'did you mean `--mode` or `--model`? See `hitl chat --help`',
  ],
] as const)('says of wrong arguments %j what is wrong, and what to type', async ([args, error, hint]) => {
  expect(await home.run(args)).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `error: ${error}\nhint: ${hint}\n`,
  });
});
