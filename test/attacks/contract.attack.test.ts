import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { crc32 } from 'node:zlib';

import { attacks } from './attacks.js';
import type { Ended } from './process.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const STACK = /\n\s+at |node_modules/u;

/** Runs commands whose stdout, or stderr, is a full device. */
async function fullOutput(
  world: World,
  stream: 'stdout' | 'stderr',
  commands: readonly (readonly [string[], string])[],
): Promise<Verdict> {
  const objections: string[] = [];
  for (const [args, input] of commands) {
    const full = openSync('/dev/full', 'w');
    const ran: Ended = await world.start(args, { input, [stream]: full }).ended;
    closeSync(full);
    if (STACK.test(ran.stderr) || ran.status === 1)
      objections.push(
        `\`hitl ${args[0] ?? ''}\`: status ${String(ran.status)}${STACK.test(ran.stderr) ? ' and a stack' : ''}`,
      );
    if (stream === 'stdout' && ran.status === 0) objections.push(`\`hitl ${args[0] ?? ''}\`: status 0`);
  }
  return heldUnless(objections, 'two lines and a status each time');
}

/** Appends a record with a good checksum whose message is nested very deep. */
function appendDeep(journal: string, lines: readonly string[]): void {
  const last = lines.at(-1) ?? '';
  const prev = createHash('sha256').update(last).digest('hex').slice(0, 16);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const message = `{"role":"user","content":[{"type":"data","data":${deep}}]}`;
  const place = `"seq":${String(lines.length + 1)},"prev":"${prev}","at":"2026-11-22T06:00:00.000Z","scope":""`;
  const body = `{"v":1,${place},"event":{"type":"message-added","message":${message}}`;
  const sum = crc32(Buffer.from(body)).toString(16).padStart(8, '0');
  appendFileSync(journal, `${body},"sum":"${sum}"}\n`);
}

attacks('What a script can rely on: statuses, and words where something is not done', [
  {
    id: 'V9a',
    tried: 'chat, export and list with a full stdout',
    run: async (world) => {
      await world.run(['chat', '-m', 'demo', '-p', 'Transfer 200 to ABC123']);
      const id = world.session;
      return fullOutput(world, 'stdout', [
        [['chat', '-m', 'demo'], 'Transfer 200 to ABC123\ny\n'],
        [['export', id], ''],
        [['list'], ''],
      ]);
    },
  },
  {
    id: 'V9b',
    tried: 'a chat with a full stderr: whether its turn is finished all the same',
    run: async (world) =>
      fullOutput(world, 'stderr', [[['chat', '-m', 'demo'], 'Transfer 200 to ABC123\ny\n']]),
  },
  {
    id: 'V8',
    tried: '`--no-save` with the demo model: what is kept',
    run: async (world) => {
      const ran = await world.run(['chat', '-m', 'demo', '--no-save'], {
        input: 'Transfer 200 to ABC123\ny\n',
      });
      premise(ran.stdout.includes('Transferred'), `nothing was done: ${ran.stderr}`);
      const files = existsSync(world.home)
        ? readdirSync(world.home, { recursive: true, encoding: 'utf8' })
        : [];
      const kept = files.filter((name) => /sessions\/.*\./u.test(name));
      return heldUnless(
        kept.map((name) => `${name} is kept`),
        'nothing is kept',
      );
    },
  },
  {
    id: 'V10',
    tried: '`--record-answers` with piped answers, to a path that cannot be written',
    run: async (world) => {
      const file = world.path('no-such-folder/answers.jsonl');
      const ran = await world.run(['chat', '-m', 'demo', '--record-answers', file], {
        input: 'Transfer 200 to ABC123\ny\n',
      });
      const isTold = /record|answers/u.test(ran.stderr.replaceAll('Transfer', ''));
      return ran.status === 0 && !isTold && !existsSync(file)
        ? broken('status 0, nothing written, not a word')
        : held(`status ${String(ran.status)}: ${ran.stderr.slice(-120)}`);
    },
  },
  {
    id: 'V13a',
    tried: 'a chat whose stdin is a folder',
    run: async (world) => {
      const [node, ...args] = world.command('chat', '-m', 'demo');
      const shell = ['-c', '"$@" < /', 'sh', node, ...args];
      const ran = await world.spawn('sh', shell, { input: '' }).ended;
      return ran.status === 0 ? broken('status 0') : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'V13b',
    tried: 'HOME is empty and HITL_HOME is not set',
    run: async (world) => {
      const ran = await world.run(['chat', '-m', 'demo', '-p', 'hi'], { env: { HOME: '', HITL_HOME: '' } });
      return world.exists('proj/.local')
        ? broken('a session was written into the working directory')
        : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'V13c',
    tried: 'an empty --sessions',
    run: async (world) => {
      const ran = await world.run(['chat', '-m', 'demo', '-p', 'hi', '--sessions', '']);
      return ran.status === 0 && world.sessions().length > 0 && !ran.stderr.includes('sessions')
        ? broken('it is taken for the default, unsaid')
        : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'V13d',
    tried: 'a HOME of 4,200 characters',
    run: async (world) => {
      const { HITL_HOME: _, ...env } = world.env;
      const ran = await world.run(['chat', '-m', 'demo', '-p', 'hi'], {
        env: { ...env, HOME: `/${'h'.repeat(4200)}`, HITL_HOME: '' },
      });
      return ran.status === 1 || STACK.test(ran.stderr)
        ? broken(`status ${String(ran.status)} with a stack`)
        : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'V13e',
    tried: 'a limit of 20 open files',
    run: async (world) => {
      const [node, ...args] = world.command('chat', '-m', 'demo', '-p', 'hi');
      const ran = await world.spawn('sh', ['-c', 'ulimit -n 20; exec "$@"', 'sh', node, ...args], {
        input: '',
      }).ended;
      return ran.stderr.includes('bug in hitl')
        ? broken(`status ${String(ran.status)}: a bug in hitl`)
        : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'V13f',
    tried: '`chat -p` with no input at all',
    run: async (world) => {
      const ran = await world.run(['chat', '-m', 'demo', '-p']);
      return ran.status === 0
        ? broken('status 0, nothing was asked or done')
        : held(`status ${String(ran.status)}`);
    },
  },
  {
    id: 'L13',
    tried: 'a record with a good checksum and 100,000 levels',
    run: async (world) => {
      await world.run(['chat', '-m', 'demo', '-p', 'hello']);
      const id = world.session;
      const journal = `home/sessions/${id}/journal.jsonl`;
      appendDeep(world.path(journal), world.read(journal).trimEnd().split('\n'));
      const objections: string[] = [];
      for (const args of [
        ['export', id],
        ['show', id],
        ['resume', id, '-p'],
        ['doctor', id],
      ]) {
        const ran = await world.run(args, { input: 'more\n' });
        if (ran.status === 1 || ran.status === 6 || ran.stderr.includes('bug in hitl'))
          objections.push(`${args[0] ?? ''} ends with ${String(ran.status)}`);
      }
      return heldUnless(objections, 'told as damage');
    },
  },
  {
    id: 'B5',
    tried: '`TERM=dumb hitl chat` on a terminal',
    run: async (world) => {
      const screen = world.terminal(['chat', '-m', 'demo'], { env: { TERM: 'dumb' } });
      const status = await screen.endedWithin(4_000);
      if (status === 0) return broken(`Cancelling now with status 0: ${screen.shown}`);
      if (status !== undefined)
        return screen.shown === ''
          ? broken(`status ${String(status)} without a word`)
          : held(`status ${String(status)}: ${screen.shown}`);
      screen.write('Transfer 200 to ABC123\r');
      premise(await screen.until('Your answer:', 6_000), `nothing came of a line: ${screen.shown}`);
      screen.write('y\r');
      return (await screen.until('Transferred 200', 6_000))
        ? held('a line was asked for and answered')
        : broken('the answer was not taken');
    },
  },
]);
