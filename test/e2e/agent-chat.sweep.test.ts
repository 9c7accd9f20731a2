import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

const AGENT = fileURLToPath(new URL('../fixtures/acp/agent.mjs', import.meta.url));

/** A work of ten calls: it asks, reads, writes by our tool, and runs commands in our sandbox. */
const STEPS = [
  { say: 'I look at it.' },
  { read: 'a.txt' },
  { read: 'none.txt' },
  { permission: 'Write b.txt', kind: 'edit', edit: { path: 'b.txt', before: '', after: 'b\n' } },
  { write: 'b.txt', content: 'b\n' },
  { command: 'cat b.txt >> log.txt' },
  { all: [{ read: 'a.txt' }, { read: 'b.txt' }] },
  { permission: 'Deploy', input: { to: 'eu' }, then: 'deployed.txt' },
  { command: 'echo last >> log.txt' },
  { say: 'Done.' },
];

function played(home: Home, work: object = {}): { readonly agent: string; readonly folder: string } {
  const folder = join(home.path, 'agent');
  mkdirSync(folder);
  writeFileSync(join(folder, 'work.json'), JSON.stringify({ steps: STEPS, ...work }));
  writeFileSync(join(home.work, 'a.txt'), 'alpha\n');
  return { agent: `node ${AGENT} ${folder}`, folder };
}

interface Told {
  readonly prompt?: string;
  readonly load?: string;
  readonly step?: number;
  readonly result?: unknown;
}

const toldTo = (folder: string): readonly Told[] =>
  readFileSync(join(folder, 'ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);

const textOf = (home: Home, name: string): string =>
  existsSync(join(home.work, name)) ? readFileSync(join(home.work, name), 'utf8') : '';

const DONE = { 'b.txt': 'b\n', 'log.txt': 'b\nlast\n', 'deployed.txt': 'done by the agent\n' };
const doneIn = (home: Home): object =>
  Object.fromEntries(Object.keys(DONE).map((name) => [name, textOf(home, name)]));

test('an agent does its work through the tools and questions of the session', async () => {
  using home = new Home();
  const { agent, folder } = played(home);
  const options = { cwd: home.work, input: 'y\n'.repeat(5) };
  const ran = await home.runAlone(['chat', '--agent', agent, '-p', 'go'], options);
  expect([ran.status, ran.stdout, doneIn(home)]).toEqual([0, expect.stringContaining('Done.'), DONE]);
  const results = toldTo(folder).flatMap(({ step, result }) => (step === undefined ? [] : [[step, result]]));
  const once = { outcome: 'selected', optionId: 'once' };
  expect(results).toEqual([
    [1, { content: 'alpha\n' }],
    [2, { error: { code: -32_002, message: 'none.txt does not exist' } }],
    [3, once],
    [4, {}],
    [5, { exitCode: 0, signal: null, output: '' }],
    [6, [{ content: 'alpha\n' }, { content: 'b\n' }]],
    [7, once],
    [8, { exitCode: 0, signal: null, output: '' }],
  ]);
});

/** The question that is open in the only session; absent where the run is over. */
function standing(home: Home): 'asks' | 'over' | undefined {
  const [id] = home.ids();
  const file = id === undefined ? undefined : join(home.sessions, id, 'journal.jsonl');
  const journal = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  const times = (type: string): number => journal.split(`"type":"${type}"`).length - 1;
  if (times('interrupt-raised') > times('interrupt-resolved')) return 'asks';
  return journal.trimEnd().split('\n').at(-1)?.includes('"type":"run-ended"') === true ? 'over' : undefined;
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await sleep(25);
}

test('killed with its agent at each question, the work goes on, and nothing happens twice', async () => {
  using home = new Home();
  const { agent, folder } = played(home);
  let args = ['chat', '--agent', agent, '-p', 'go'];
  for (let kills = 0; kills < 10; kills += 1) {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: home.work,
      env: home.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'close');
    await until(() => standing(home) !== undefined);
    if (standing(home) === 'over') {
      child.stdin.end();
      await ended;
      break;
    }
    child.kill('SIGKILL');
    await ended;
    const [id = ''] = home.ids();
    const answered = await home.run(['answer', id, 'y', '--any']);
    expect(answered.status).toBe(0);
    args = ['resume', id, '-p'];
  }
  const told = toldTo(folder);
  expect([
    standing(home),
    doneIn(home),
    told.filter(({ load }) => load !== undefined).length,
    told.flatMap(({ step }) => (step === undefined ? [] : [step])),
  ]).toEqual(['over', DONE, 5, [1, 2, 3, 4, 5, 6, 7, 8]]);
});

test('says what to do where an agent is not installed, or needs a login', async () => {
  using home = new Home();
  const missing = await home.runAlone(['chat', '--agent', 'codex', '-p', 'go'], {
    env: { PATH: '/usr/bin:/bin' },
  });
  const { agent } = played(home, { login: 'Log in with a browser' });
  const login = await home.runAlone(['chat', '--agent', agent, '-p', 'go']);
  expect([missing.stderr, login.stderr]).toEqual([
    expect.stringContaining('install it: npm install -g @agentclientprotocol/codex-acp'),
    expect.stringContaining('requires a login'),
  ]);
});
