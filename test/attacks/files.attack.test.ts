import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import { triesAll } from '../helpers/kill-points.js';
import { attacks } from './attacks.js';
import { at, listAt, parsed } from './json.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise, skipped } from './verdict.js';
import type { RunOptions, World } from './world.js';

/** Reads one file without answering anything; true where its content came to the session. */
async function readsUnasked(
  world: World,
  file: string,
  mark: string,
  options: RunOptions = {},
): Promise<boolean> {
  const before = world.sessions();
  const ran = await world.run(
    ['chat', '-m', world.calling('read_file', { path: file }), '-p', 'go', '--json'],
    options,
  );
  const id = world.sessions().find((name) => !before.includes(name));
  premise(id !== undefined, `no session: ${ran.stderr}`);
  const came = world.eventsOf(id, 'interrupt-raised').length + world.eventsOf(id, 'tool-settled').length;
  premise(came > 0, `the call came to nothing: ${ran.stderr}`);
  return world.read(`home/sessions/${id}/journal.jsonl`).includes(mark);
}

/** Reads several files; broken where one is read without a question. */
async function sensitive(world: World, names: readonly string[], options: RunOptions = {}): Promise<Verdict> {
  const read: string[] = [];
  for (const name of names) if (await readsUnasked(world, name, 'MARK-OF-A-SECRET', options)) read.push(name);
  return heldUnless(
    read.length === 0 ? [] : [`read without a question: ${read.join(', ')}`],
    'each was asked about',
  );
}

async function warningsOf(world: World, path: string): Promise<number> {
  const model = world.calling('write_file', { path, content: 'x\n' });
  const ran = await world.run(['chat', '-m', model, '-p', 'go', '--json']);
  const interrupt = listAt(parsed(ran.stdout), 'interrupts')[0];
  // A refusal is more than a warning.
  return interrupt === undefined ? Infinity : listAt(interrupt, 'payload', 'warnings').length;
}

const RUN_LATER = [
  '.husky/pre-commit',
  '.envrc',
  '.vscode/tasks.json',
  'package.json',
  'hitl.config.json',
  '.GIT/hooks/pre-commit',
  '.github/workflows/ci.yml',
  'Makefile',
];

/** Swaps a folder and a link to another one with one system call, as fast as it can. */
const RACER = `import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
a, b, until = sys.argv[1].encode(), sys.argv[2].encode(), time.time() + float(sys.argv[3])
if libc.renameat2(-100, a, -100, b, 2) != 0: sys.exit(3)
while time.time() < until: libc.renameat2(-100, a, -100, b, 2)
`;
const RACE_SECONDS = triesAll ? 14 : 3;

/** Reads, or writes with a person's yes, through a path that is swapped meanwhile; counts what happened outside. */
const RACED = `import fs from 'node:fs';
import { scriptedModel } from 'hitl/testing';
const [cwd, what, seconds] = process.argv.slice(2);
const clock = hitl.systemClock;
const tools = [...hitl.builtinTools({ cwd, env: process.env, home: cwd, clock })];
const input = what === 'read' ? { path: 'docs/rc' } : { path: 'docs/new', content: 'evil' };
const name = what === 'read' ? 'read_file' : 'write_file';
const until = Date.now() + Number(seconds) * 1000;
let rounds = 0, outside = 0, good = 0;
while (Date.now() < until) {
  const calls = Array.from({ length: what === 'read' ? 20 : 1 }, () => ({ name, input }));
  const model = scriptedModel([{ tools: calls }, 'ok', 'ok']);
  const asked = await hitl.generate({ model, tools, prompt: 'go' });
  let text = JSON.stringify(asked.messages);
  if (what === 'write' && asked.interrupts.length > 0) {
    const shown = JSON.stringify(asked.interrupts);
    if (!/outside/.test(shown)) {
      const restart = asked.interrupts.map((i) => answers.restart(i));
      const done = await hitl.generate({ model, tools, messages: asked.messages, resume: { restart } }).catch(() => undefined);
      text = JSON.stringify(done?.messages ?? '');
    }
  }
  rounds += calls.length;
  outside += text.split('OUTSIDE-CONTENT').length - 1;
  good += text.split('INSIDE-CONTENT').length - 1;
}
report({ rounds, outside, good });
`;

async function race(world: World, what: 'read' | 'write'): Promise<Verdict> {
  if (spawnSync('python3', ['-c', 'import ctypes']).status !== 0) return skipped('no python3 for the race');
  const [docs, link] = [world.path('proj/docs'), world.path('proj/link')];
  world.write('proj/docs/rc', 'INSIDE-CONTENT\n');
  world.write('outside/rc', 'OUTSIDE-CONTENT\n');
  world.spawn('ln', ['-s', world.path('outside'), link], { input: '' });
  const racer = world.write('race.py', RACER);
  while (!existsSync(link)) await sleep(5);
  const racing = world.spawn('python3', [racer, docs, link, String(RACE_SECONDS)], { input: '' });
  const { value, ran } = await world.library(RACED, {
    args: [world.project, what, String(RACE_SECONDS - 1)],
  });
  if ((await racing.ended).status === 3) return skipped('this system does not swap paths');
  const rounds = Number(at(value, 'rounds') ?? 0);
  premise(rounds > 10, `too few rounds: ${ran.stderr}`);
  if (what === 'read') {
    const outside = Number(at(value, 'outside') ?? 0);
    return outside > 0
      ? broken(`${String(outside)} of ${String(rounds)} reads gave the file outside`)
      : held(`${String(rounds)} reads, none outside`);
  }
  const left = readdirSync(world.path('outside'))
    .concat(readdirSync(docs))
    .filter((name) => name !== 'rc');
  const wrote = existsSync(world.path('outside/new')) && !statSync(docs).isSymbolicLink();
  const others = left.filter((name) => name !== 'new');
  const isOutside = readdirSync(world.path('outside')).includes('new') || wrote;
  return heldUnless(
    [
      ...(isOutside ? ['a file was written outside'] : []),
      ...(others.length > 0 ? [`${String(others.length)} temporary files were left`] : []),
    ],
    `${String(rounds)} writes, none outside`,
  );
}

async function unsafeRoot(world: World, prepare: (root: string) => void): Promise<Verdict> {
  const root = world.path('home/sessions');
  mkdirSync(root);
  prepare(root);
  const ran = await world.run(['chat', '-m', 'demo', '-p', 'What is my balance?']);
  const { mode, uid } = statSync(root);
  const isOpen = (mode & 0o022) !== 0 || uid !== process.getuid?.();
  return isOpen && world.sessions().length > 0
    ? broken(`a session was made in a folder of mode ${(mode & 0o777).toString(8)} and owner ${String(uid)}`)
    : held(`status ${String(ran.status)}, mode ${(mode & 0o777).toString(8)}`);
}

attacks('What may be read and written without a question, and what stands beside it in the file system', [
  {
    id: 'H9a',
    tried: 'read_file of keys below the home folder when that is the working directory',
    run: async (world) => {
      for (const name of ['.ssh/id_ed25519', '.aws/credentials', 'Documents/plan.txt'])
        world.write(`user/${name}`, 'MARK-OF-A-SECRET');
      return sensitive(world, ['.ssh/id_ed25519', '.aws/credentials', 'Documents/plan.txt'], {
        cwd: world.path('user'),
      });
    },
  },
  {
    id: 'H9b',
    tried: 'read_file of a file of the system when the working directory is /',
    run: async (world) =>
      (await readsUnasked(world, 'etc/passwd', 'root:x:', { cwd: '/' }))
        ? broken('etc/passwd was read without a question')
        : held('asked'),
  },
  {
    id: 'M10a',
    tried: 'read_file of sensitive names inside the project',
    run: async (world) => {
      const names = [
        '.env',
        '.env.local',
        '.git/config',
        '.aws/credentials',
        'id_rsa',
        'server.pem',
        '.npmrc',
        '.netrc',
      ];
      for (const name of names) world.write(`proj/${name}`, 'token = MARK-OF-A-SECRET\n');
      return sensitive(world, names);
    },
  },
  {
    id: 'M10b',
    tried: 'a password in an address and an AWS key in an ordinary file: what is kept and shown of them',
    run: async (world) => {
      const secrets = ['correct-horse-battery', 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY'];
      world.write(
        'proj/notes.txt',
        `DATABASE_URL=postgres://u:${secrets[0] ?? ''}@db/x\naws_secret_access_key = ${secrets[1] ?? ''}\n`,
      );
      const ran = await world.run([
        'chat',
        '-m',
        world.calling('read_file', { path: 'notes.txt' }),
        '-p',
        'go',
        '-o',
        'stream-json',
      ]);
      premise(
        ran.stdout.includes('DATABASE_URL') || world.eventsOf(world.session, 'interrupt-raised').length > 0,
        'not read',
      );
      const output = ran.stdout + world.read(`home/sessions/${world.session}/journal.jsonl`);
      const seen = secrets.filter((secret) => output.includes(secret));
      return heldUnless(
        seen.map((secret) => `${secret.slice(0, 12)}… is kept as it is`),
        'both are masked',
      );
    },
  },
  {
    id: 'M9',
    tried: 'write_file of names that something runs later: the warnings of the question',
    run: async (world) => {
      const plain = await warningsOf(world, 'plain.txt');
      const silent: string[] = [];
      for (const name of RUN_LATER) if ((await warningsOf(world, name)) <= plain) silent.push(name);
      return heldUnless(
        silent.length === 0 ? [] : [`no warning for ${silent.join(', ')}`],
        `all ${String(RUN_LATER.length)} warn`,
      );
    },
  },
  {
    id: 'H10a',
    tried: 'reads while another process swaps a folder and a link that leads outside',
    run: async (world) => race(world, 'read'),
  },
  {
    id: 'H10b',
    tried: 'approved writes while another process swaps a folder and a link',
    run: async (world) => race(world, 'write'),
  },
  {
    id: 'L4',
    tried: 'a file with setuid is rewritten',
    run: async (world) => {
      const file = world.write('proj/tool', '#!/bin/sh\necho old\n');
      chmodSync(file, 0o6755);
      const id = await world.chat(
        world.calling('write_file', { path: 'tool', content: '#!/bin/sh\necho new\n' }),
      );
      await world.run(['answer', id, 'y', '--any']);
      await world.run(['resume', id, '-p']);
      premise(world.read('proj/tool').includes('new'), 'the file was not written');
      const mode = statSync(file).mode & 0o7777;
      return (mode & 0o6000) === 0
        ? held(`mode ${mode.toString(8)}`)
        : broken(`it kept mode ${mode.toString(8)}`);
    },
  },
  {
    id: 'L5',
    tried: 'a sessions folder that everybody can write',
    run: async (world) =>
      unsafeRoot(world, (root) => {
        chmodSync(root, 0o777);
      }),
  },
  {
    id: 'V11',
    tried: 'a sessions folder that belongs to somebody else',
    run: async (world) => {
      if (process.getuid?.() !== 0) return skipped('only root can give a folder away');
      return unsafeRoot(world, (root) => {
        chownSync(root, 12_345, 12_345);
      });
    },
  },
]);
