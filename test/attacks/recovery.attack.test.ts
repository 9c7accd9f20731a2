import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { killPoints, upTo } from '../helpers/kill-points.js';
import { attacks } from './attacks.js';
import { DIE_AT } from './die-at.js';
import { at, listAt, parsed, textAt } from './json.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** Damages the journal of a session so that no whole record is left, and resumes it. */
async function damaged(world: World, damage: (journal: string) => void): Promise<Verdict> {
  await world.run(['chat', '-m', 'demo'], { input: 'hello\nTransfer 200 to ABC123\n' });
  const id = world.session;
  const journal = `home/sessions/${id}/journal.jsonl`;
  const transcript = world.read(`home/sessions/${id}/transcript.json`);
  premise(transcript.length > 100, 'there is no transcript');
  damage(world.path(journal));
  const before = world.read(journal);
  const listed = await world.run(['list']);
  const resumed = await world.run(['resume', id]);
  return heldUnless(
    [
      ...(world.read(`home/sessions/${id}/transcript.json`) === transcript ? [] : ['the transcript is gone']),
      ...(world.read(journal) === before || keptCopies(world, id) > 0 ? [] : ['the journal is gone']),
      ...((listed.stdout + listed.stderr).includes(id.slice(0, 8)) ? [] : ['list hides it']),
      ...(resumed.status === 5 ? [] : [`resume ends with ${String(resumed.status)}, not 5`]),
    ],
    'status 5, and everything is still there',
  );
}

function keptCopies(world: World, id: string): number {
  const names = readdirSync(world.path('home/sessions')).filter((name) => name.includes(id));
  return names
    .flatMap((name) => readdirSync(world.path('home/sessions', name)))
    .filter((name) => name.startsWith('journal.jsonl.')).length;
}

/** Kills a command before each of its operations on files, and says what is wrong with what that left. */
async function killedAnywhere(world: World, command: Killed): Promise<Verdict> {
  const preload = world.write('die.mjs', DIE_AT);
  const count = world.path('count');
  const first = world.path('first');
  await command.prepare(world, first);
  await world.run(command.args(world, first), {
    preload,
    env: { HITL_HOME: first, DIE_AT: '0', DIE_COUNT: count },
  });
  const operations = Number(world.read('count'));
  premise(operations > 3, 'no operation was seen');
  const wrong: string[] = [];
  const tried = killPoints(upTo(operations), 18);
  for (const n of tried) {
    const home = world.path(`home-${String(n)}`);
    await command.prepare(world, home);
    const before = world.sessions(home);
    const args = command.args(world, home);
    await world.run(args, { preload, env: { HITL_HOME: home, DIE_AT: String(n), DIE_COUNT: count } });
    const fault = await command.fault(world, home, before);
    if (fault !== undefined) wrong.push(`${String(n)} (${fault})`);
  }
  return heldUnless(
    wrong.length === 0 ? [] : [`killed before operation ${wrong.join(', ')} of ${String(operations)}`],
    `${String(tried.length)} kills`,
  );
}

/** A command that is killed, and what must not be there afterwards. */
interface Killed {
  prepare(world: World, home: string): Promise<void>;
  args(world: World, home: string): readonly string[];
  fault(world: World, home: string, before: readonly string[]): Promise<string | undefined>;
}

const DOCUMENT = JSON.stringify([
  { role: 'user', content: [{ text: 'one' }] },
  { role: 'model', content: [{ text: 'two' }] },
]);

async function listed(world: World, home: string): Promise<readonly unknown[]> {
  const { stdout } = await world.run(['list', '--json'], { env: { HITL_HOME: home } });
  return listAt(parsed(stdout));
}

async function emptyAndDone(world: World, home: string): Promise<string | undefined> {
  const rows = await listed(world, home);
  const isEmpty = rows.some((row) => textAt(row, 'status') === 'done' && at(row, 'turns') === 0);
  return isEmpty ? 'listed as done, with nothing in it' : undefined;
}

const IMPORT: Killed = {
  prepare: async () => undefined,
  args: (world) => ['import', world.write('doc.json', DOCUMENT), '--quiet'],
  fault: emptyAndDone,
};

const FORK: Killed = {
  prepare: async (world, home) => {
    await world.run(['chat', '-m', 'demo', '-p', 'hello'], { env: { HITL_HOME: home } });
  },
  args: (world, home) => ['fork', ...world.sessions(home)],
  fault: emptyAndDone,
};

const REMOVE: Killed = {
  prepare: async (world, home) => {
    await world.run(['chat', '-m', 'demo', '-p', 'SECRET-WORD'], { env: { HITL_HOME: home } });
  },
  args: (world, home) => ['rm', '--yes', ...world.sessions(home)],
  fault: async (world, home) => {
    const env = { HITL_HOME: home };
    const ids = world.sessions(home).filter((name) => !name.startsWith('.'));
    const said = await Promise.all([
      world.run(['list'], { env }),
      world.run(['doctor', '-m', 'demo'], { env }),
    ]);
    const left = filesWith(`${home}/sessions`, 'SECRET-WORD');
    const isListed = ids.length > 0 && ids.every((id) => said[0].stdout.includes(id));
    const isTold = said.some(({ stdout, stderr }) => /removed|left over|unfinished/u.test(stdout + stderr));
    return left > 0 && !isListed && !isTold ? 'its files are still there, and nothing says so' : undefined;
  },
};

function filesWith(folder: string, text: string): number {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return entries.filter((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8').includes(text))
      .length;
  } catch {
    return 0; // no folder, no files
  }
}

const CHAT: Killed = {
  prepare: async () => undefined,
  args: () => ['chat', '-m', 'demo', '-p', 'hello'],
  fault: async (world, home) => {
    await world.run(['chat', '-m', 'demo', '-p', 'hello'], { env: { HITL_HOME: home } });
    await world.run(['list'], { env: { HITL_HOME: home } });
    const folders = readdirSync(`${home}/sessions`, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const bare = folders.filter(({ name }) => world.events(name, home).length === 0 && !name.startsWith('.'));
    return bare.length > 0 ? 'a folder without a record stays' : undefined;
  },
};

const SLOW = `export const slow = { name: 'slow', description: 's', input: { type: 'object' }, effect: 'none', execute: (i, c) => new Promise((r, j) => {
  append('began'); const t = setTimeout(() => r('ok'), 2000); c.signal.addEventListener('abort', () => { clearTimeout(t); j(new Error('aborted')); }); }) };
`;

async function stoppedTurn(world: World, signal: NodeJS.Signals): Promise<Verdict> {
  const module = ledgerModule(world, SLOW);
  const model = world.script({ tools: [{ name: 'slow', input: {} }] }, { text: 'The report.' });
  const chat = world.start(['chat', '-m', model, '-t', module, '-p', 'go'], { input: '' });
  while (!chat.hasEnded && ledgerOf(world).length === 0) await sleep(50);
  chat.kill(signal);
  await chat.ended;
  const resumed = await world.run(['resume', world.session, '--trust']);
  const hasAnswer = resumed.stdout.includes('The report.');
  return resumed.status === 0 && !hasAnswer
    ? broken(`after ${signal}, resume ends with 0 and did nothing`)
    : held(`status ${String(resumed.status)}${hasAnswer ? ', the turn went on' : ''}`);
}

attacks(
  'Kills, damage and full disks: nothing is lost without a word, and nothing half done looks finished',
  [
    {
      id: 'V1a',
      tried: 'resume of a session whose journal became zeros',
      run: async (world) =>
        damaged(world, (journal) => {
          writeFileSync(journal, Buffer.alloc(readFileSync(journal).length));
        }),
    },
    {
      id: 'V1b',
      tried: 'resume of a session whose journal was cut inside its first record',
      run: async (world) =>
        damaged(world, (journal) => {
          truncateSync(journal, 300);
        }),
    },
    {
      id: 'V1c',
      tried: 'resume of a session whose journal became bytes without a line end',
      run: async (world) =>
        damaged(world, (journal) => {
          writeFileSync(journal, 'x'.repeat(500));
        }),
    },
    {
      id: 'V2a',
      tried: 'resume after SIGTERM in a turn',
      run: async (world) => stoppedTurn(world, 'SIGTERM'),
    },
    { id: 'V2b', tried: 'resume after SIGHUP in a turn', run: async (world) => stoppedTurn(world, 'SIGHUP') },
    {
      id: 'V3',
      tried: 'an entry of an answers file without `match`',
      run: async (world) => {
        const module = ledgerModule(world, PAY);
        const answers = world.write('a.jsonl', '{"answer":"y"}\n');
        const ran = await world.run([
          'chat',
          '-m',
          world.calling('pay', { to: 'ann', amount: 1 }),
          '-t',
          module,
          '-p',
          'go',
          '--answers',
          answers,
        ]);
        return ledgerOf(world).length > 0
          ? broken('it approved the call')
          : held(`status ${String(ran.status)}`);
      },
    },
    {
      id: 'V4',
      tried: 'two flags that answer one question, no and then yes',
      run: async (world) => {
        const module = ledgerModule(world, PAY);
        const id = await world.chat(world.calling('pay', { to: 'ann', amount: 1 }), '-t', module);
        const ran = await world.run(['resume', id, '-p', '--answer', 'i1=n', '--answer', 'i1=y']);
        return ledgerOf(world).length > 0
          ? broken('the second one won, and it paid')
          : held(`status ${String(ran.status)}`);
      },
    },
    {
      id: 'V6a',
      limitMs: 300_000,
      tried: 'an import that is killed before each of its operations on files',
      run: async (world) => killedAnywhere(world, IMPORT),
    },
    {
      id: 'V6b',
      limitMs: 300_000,
      tried: 'a fork that is killed before each of its operations on files',
      run: async (world) => killedAnywhere(world, FORK),
    },
    {
      id: 'V7',
      limitMs: 300_000,
      tried: 'an `rm` that is killed before each of its operations on files',
      run: async (world) => killedAnywhere(world, REMOVE),
    },
    {
      id: 'V12',
      limitMs: 300_000,
      tried: 'a chat that is killed before each of its first operations: what another chat leaves of it',
      run: async (world) => killedAnywhere(world, CHAT),
    },
  ],
);
