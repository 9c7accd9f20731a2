import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

/** An event as Claude Code 2.1.329 and Codex 0.169.0 send it. */
function event(home: Home, tool: string, input: object, more: object = {}): string {
  return JSON.stringify({
    ...{ session_id: '0b1c', transcript_path: '/none', cwd: home.work, permission_mode: 'default' },
    ...{ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: 'toolu_1' },
    ...more,
  });
}

const PRINTING = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' };

/** Runs a hook to its end, and reads its word. */
async function heard(home: Home, agent: string, input: string, env = {}) {
  const ran = await home.run(['hook', ...agent.split(' '), '--wait', '1s'], { input, env });
  const { hookSpecificOutput: word } = (ran.stdout === '' ? {} : JSON.parse(ran.stdout)) as {
    hookSpecificOutput?: Record<string, unknown>;
  };
  return { status: ran.status, stderr: ran.stderr, word };
}

function rules(home: Home, said: object): void {
  writeFileSync(join(home.path, 'config.json'), JSON.stringify({ rules: said }));
}

const pre = (permissionDecision: string, permissionDecisionReason: unknown, more: object = {}) => ({
  ...{ status: 0, stderr: '' },
  word: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason, ...more },
});
const SILENT = { status: 0, stderr: '', word: undefined };

test('a rule denies and allows the calls of another agent, and nobody is asked', async () => {
  using home = new Home();
  const from = join(home.path, 'config.json');
  rules(home, { deny: ['edit_file src/keys/**'], allow: ['run_command git status'] });
  const file = join(home.work, 'src/keys/a.txt');
  const edit = { file_path: file, old_string: 'a', new_string: 'b' };
  expect([
    await heard(home, 'claude-code', event(home, 'Edit', edit)),
    await heard(home, 'claude-code', event(home, 'Bash', { command: 'git status' })),
    await heard(home, 'codex', event(home, 'Bash', { command: 'git status' })),
    await heard(home, 'claude-code', event(home, 'Bash', { command: 'git push' })),
    home.ids(),
  ]).toEqual([
    pre('deny', expect.stringContaining(`hitl: rule \`deny edit_file src/keys/**\` (${from}:1) denies`)),
    pre('allow', expect.stringContaining('hitl: rule `allow run_command git status`')),
    pre('allow', expect.stringContaining('hitl: rule `allow run_command git status`')),
    SILENT,
    [],
  ]);
});

test('a rule allows no call of which a part is unknown', async () => {
  using home = new Home();
  rules(home, { allow: ['run_command git status', 'write_file', 'mcp:files/*'] });
  const unknown = { command: 'git status', dangerouslyDisableSandbox: true };
  const calls = [
    ['Bash', unknown],
    ['Write', { file_path: join(home.work, 'a'), content: 'a', mode: 'append' }],
    ['mcp__files__read', { path: '/etc/passwd' }],
  ] as const;
  for (const [tool, input] of calls)
    expect(await heard(home, 'claude-code', event(home, tool, input))).toEqual(SILENT);
});

test('an event of another kind, and one of a later version, is answered with no word', async () => {
  using home = new Home();
  const of = (more: object) => heard(home, 'claude-code', event(home, 'Bash', { command: 'ls' }, more));
  expect([await of({ hook_event_name: 'PostToolUse' }), await of({ hook_event_name: 'Later' })]).toEqual([
    SILENT,
    SILENT,
  ]);
});

test('what fails allows nothing, and denies where the person asked for that', async () => {
  using home = new Home();
  const good = event(home, 'Bash', { command: 'ls' });
  const why = (text: string) => ({ status: 0, stderr: `hitl hook: ${text}\n`, word: undefined });
  const broken = 'stdin does not contain a hook event';
  for (const bad of [
    '',
    '{',
    '[]',
    '"x"',
    `{"hook_event_name":"PreToolUse"}`,
    `${good.slice(0, -1)},"cwd":"."}`,
  ])
    expect(await heard(home, 'claude-code', bad)).toEqual(why(broken));
  expect(await heard(home, 'codex', event(home, 'Bash', {}, { cwd: '/not/there' }))).toEqual(
    why('the event’s folder does not exist'),
  );
  writeFileSync(join(home.path, 'config.json'), '{"rules": ');
  const silent = await heard(home, 'claude-code', good, PRINTING);
  expect([silent.status, silent.word, silent.stderr]).toEqual([
    0,
    undefined,
    expect.stringContaining('hitl hook: '),
  ]);
  const denied = await heard(home, 'claude-code --on-error deny', good, PRINTING);
  expect(denied.word).toEqual(pre('deny', expect.stringContaining('hitl could not decide: ')).word);
  expect(home.ids()).toEqual([]);
});

test('the own configuration denies what fails, also where another part of it is broken or the store is not there', async () => {
  using home = new Home();
  const call = event(home, 'Bash', { command: 'ls' });
  const place = join(home.path, 'config.json');
  const hears = async (config: object) => {
    writeFileSync(place, JSON.stringify(config));
    const { word } = await heard(home, 'claude-code', call, PRINTING);
    return word?.['permissionDecision'];
  };
  const denying = { hooks: { onError: 'deny' } };
  const broken = [
    await hears({ ...denying, maxTurns: 'many' }),
    await hears({ hooks: { onError: 'never' } }),
  ];
  writeFileSync(join(home.path, 'sessions'), 'no folder');
  const noStore = [await hears(denying), await hears({}), await hears({ hooks: { onError: 'ask' } })];
  expect([broken, noStore]).toEqual([
    ['deny', undefined],
    ['deny', undefined, undefined],
  ]);
});

/** Approves the only question as it was shown. */
async function answer(home: Home, id: string, ...words: string[]) {
  return home.run(['answer', id, ...words, '--digest', home.digest('i1', id)]);
}

test('a call that no rule decides is a question that outlives the run, answered once and for that input alone', async () => {
  using home = new Home();
  const npm = event(home, 'Bash', { command: 'npm test', description: 'Run the tests' });
  const asks = (input = npm) => heard(home, 'claude-code', input, PRINTING);
  const first = await asks();
  const { id } = home;
  const waiting = pre('defer', `hitl: no answer yet to question ${id}`);
  expect([first, await asks(), home.ids()]).toEqual([waiting, waiting, [id]]);
  const inbox = await home.run(['inbox']);
  expect(inbox.stdout).toContain(`claude-code in ${home.work} wants to: Run \`npm test\``);
  expect((await answer(home, id, 'y')).status).toBe(0);
  // Another input under the same name is another question.
  const other = await asks(event(home, 'Bash', { command: 'npm publish' }));
  expect([other.word?.['permissionDecision'], home.ids().length]).toEqual(['defer', 2]);
  expect(await asks()).toEqual(pre('allow', expect.stringMatching(/^hitl: approved by \S+$/u)));
  const again = await asks();
  expect([again.word?.['permissionDecision'], home.ids().length]).toEqual(['defer', 3]);
});

test('an edit runs the edited call, a rejection tells its reason, and a result is told in place of the call', async () => {
  using home = new Home();
  const file = join(home.work, 'a.txt');
  writeFileSync(file, 'one\n');
  const asks = (tool: string, input: object) =>
    heard(home, 'claude-code', event(home, tool, input), PRINTING);
  const npm = { command: 'npm test', timeout: 5000 };
  const edit = { file_path: file, old_string: 'one', new_string: 'two' };
  const calls = [
    ['Bash', npm],
    ['Edit', edit],
    ['WebFetch', { url: 'https://example.org/', prompt: 'sum it up' }],
  ] as const;
  const ids: string[] = [];
  for (const [tool, input] of calls) {
    await asks(tool, input);
    ids.push(home.ids().find((id) => !ids.includes(id)) ?? '');
  }
  const [command = '', change = '', page = ''] = ids;
  expect(home.asked('i1', change).payload).toMatchObject({
    facts: { path: file, 'runs it': 'claude-code, not hitl (according to the agent)' },
    diff: expect.stringContaining('-one\n+two'),
  });
  // hitl looks up no host here, and asks nobody again about an address.
  expect(home.asked('i1', page).payload).toEqual({
    facts: {
      host: 'example.org',
      address: 'https://example.org/',
      'runs it': 'claude-code, not hitl (according to the agent)',
    },
  });
  const edited = JSON.stringify({
    action: 'restart',
    input: { ...commandAsked(home, command), command: 'npm run lint' },
  });
  expect((await answer(home, command, edited)).stderr).toContain('npm run lint');
  expect((await answer(home, change, 'n', 'use', 'three')).status).toBe(0);
  expect(
    (await answer(home, page, JSON.stringify({ action: 'respond', output: 'it is empty' }))).status,
  ).toBe(0);
  expect([
    await asks('Bash', npm),
    await asks('Edit', edit),
    await asks('WebFetch', calls[2][1]),
    readFileSync(file, 'utf8'),
  ]).toEqual([
    pre('allow', expect.stringContaining(', edited'), {
      updatedInput: { command: 'npm run lint', timeout: 5000 },
    }),
    pre('deny', expect.stringMatching(/^hitl: rejected by \S+: use three$/u)),
    pre('deny', expect.stringMatching(/^hitl: \S+ provided the result: it is empty$/u)),
    'one\n',
  ]);
});

/** The input of a question about a command. */
function commandAsked(home: Home, id: string): object {
  return (home.asked('i1', id) as unknown as { source: { input: object } }).source.input;
}

test('a dialog is answered from anywhere while it waits, and the question is withdrawn when its own user is asked', async () => {
  using home = new Home();
  const dialog = { hook_event_name: 'PermissionRequest', tool_use_id: undefined };
  const input = event(home, 'Bash', { command: 'npm test' }, dialog);
  expect(await heard(home, 'claude-code', input)).toEqual(SILENT);
  expect((await home.run(['inbox'])).stdout).not.toContain('npm test');
  const [withdrawn = ''] = home.ids();
  expect(JSON.stringify(home.events(withdrawn))).toContain('claude-code asks its user directly');

  const child = spawn(process.execPath, [PROGRAM, 'hook', 'codex', '--wait', '50s'], { env: home.env });
  child.stdin.end(input);
  let stdout = '';
  child.stdout.on('data', (text) => {
    stdout += String(text);
  });
  await expect.poll(() => home.ids().length, { timeout: 30_000 }).toBe(2);
  const id = home.ids().find((one) => one !== withdrawn) ?? '';
  await expect.poll(() => JSON.stringify(home.events(id)), { timeout: 30_000 }).toContain('interrupt-raised');
  expect(home.asked('i1', id).allowed).not.toContain('edit');
  await answer(home, id, 'y');
  await expect.poll(() => stdout, { timeout: 30_000 }).not.toBe('');
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
  });
});

test('without anybody to ask in `codex exec`, a call is denied with words that say so', async () => {
  using home = new Home();
  const never = { permission_mode: 'bypassPermissions' };
  const word = await heard(home, 'codex', event(home, 'Bash', { command: 'npm test' }, never));
  expect(word).toEqual(pre('deny', `hitl: no answer yet to question ${home.id}`));
});

test('an answer that came after the hook was killed is handed out to the same call', async () => {
  using home = new Home();
  const input = event(home, 'Bash', { command: 'npm test' });
  const env = { ...home.env, ...PRINTING };
  const child = spawn(process.execPath, [PROGRAM, 'hook', 'claude-code', '--wait', '50s'], { env });
  child.stdin.end(input);
  await expect.poll(() => home.ids().length, { timeout: 30_000 }).toBe(1);
  const { id } = home;
  await expect.poll(() => JSON.stringify(home.events(id)), { timeout: 30_000 }).toContain('interrupt-raised');
  child.kill('SIGKILL');
  expect((await answer(home, id, 'y')).status).toBe(0);
  expect(await heard(home, 'claude-code', input, PRINTING)).toEqual(
    pre('allow', expect.stringContaining('hitl: approved by ')),
  );
  expect(home.ids()).toEqual([id]);
});

test('a hook is installed beside others, is told when it was heard, and taken out alone', async () => {
  using home = new Home();
  const env = { CLAUDE_CONFIG_DIR: join(home.work, 'claude') };
  const file = join(home.work, 'claude/settings.json');
  const hitl = (...args: string[]) => home.runAlone(['hook', ...args], { env });
  const other = { matcher: 'Bash', hooks: [{ type: 'command', command: 'check' }] };
  const before = { model: 'm', hooks: { PreToolUse: [other], Stop: [other] } };
  mkdirSync(join(home.work, 'claude'));
  writeFileSync(file, JSON.stringify(before));
  expect((await hitl('install', 'claude-code')).status).toBe(2);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(before);
  const installed = await hitl('install', 'claude-code', '--yes', '--for', 'Bash,mcp__*');
  const ours = {
    matcher: 'Bash|mcp__.*',
    hooks: [{ type: 'command', command: 'hitl hook claude-code', timeout: 60 }],
  };
  expect([installed.status, JSON.parse(readFileSync(file, 'utf8'))]).toEqual([
    0,
    { model: 'm', hooks: { PreToolUse: [other, ours], Stop: [other], PermissionRequest: [ours] } },
  ]);
  const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
  expect(installed.stderr).toContain(`${file} will have:\n${JSON.stringify({ hooks }, undefined, 2)}\n`);
  expect(JSON.parse(readFileSync(`${file}.before-hitl`, 'utf8'))).toEqual(before);
  expect((await hitl('status')).stdout).toContain(`claude-code: Bash|mcp__.* (${file}), never heard yet`);
  await heard(home, 'claude-code', event(home, 'Bash', { command: 'ls' }));
  expect((await hitl('status')).stdout).toContain(`(${file}), last heard `);
  expect((await hitl('uninstall', 'claude-code', '--yes')).status).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(before);
  writeFileSync(file, '{');
  expect((await hitl('install', 'claude-code', '--yes')).stderr).toContain('nothing was changed');
  expect(readFileSync(file, 'utf8')).toBe('{');
});
