import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { attacks } from './attacks.js';
import { peakMegabytes } from './memory.js';
import { Loopback } from './servers.js';
import { ledgerModule, ledgerOf } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const FROZEN_MS = 20_000;

/** Runs a chat that must end by itself in time. */
async function endsInTime(world: World, model: string, limitMs = FROZEN_MS): Promise<Verdict> {
  const ran = await world.run(['chat', '-m', model, '-p', 'go', '--json'], { limitMs });
  if (ran.wasTooLong) return broken(`not over after ${String(limitMs / 1000)} s`);
  premise(world.sessions().length === 1, `no session: ${ran.stderr}`);
  return held(`${(ran.ms / 1000).toFixed(1)} s, status ${String(ran.status)}`);
}

const SOON_MS = 6_000;

/** Freezes the loop in a tool and sends a signal: it must end the program all the same. */
async function endsBy(world: World, signal: NodeJS.Signals): Promise<Verdict> {
  const module = ledgerModule(
    world,
    "export const freeze = { name: 'freeze', description: 'f', input: { type: 'object' }, effect: 'none', execute: async () => { append('frozen'); for (;;); } };\n",
  );
  const program = world.start(['chat', '-m', world.calling('freeze', {}), '-t', module, '-p', 'go'], {
    input: '',
  });
  while (!program.hasEnded && ledgerOf(world).length === 0) await sleep(50);
  premise(!program.hasEnded, `the tool did not run: ${program.stderr}`);
  program.kill(signal);
  const sentAt = performance.now();
  const isOver = await Promise.race([program.ended.then(() => true), sleep(SOON_MS, false)]);
  program.kill('SIGKILL');
  return isOver
    ? held(`ended after ${((performance.now() - sentAt) / 1000).toFixed(1)} s`)
    : broken(`${signal} did not end it in ${String(SOON_MS / 1000)} s`);
}

const REPLY_MEGABYTES = 650;

/** A model server that never stops: one line, or one delta after the other. */
async function endlessReply(world: World, begin: string, piece: string): Promise<Verdict> {
  let attempts = 0;
  const server = world.keep(
    await Loopback.start((_, response) => {
      attempts += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begin);
      const pour = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', pour);
      pour();
    }),
  );
  const program = world.start(['chat', '-m', 'anthropic:m', '--base-url', server.url, '-p', 'go'], {
    input: '',
    limitMs: 40_000,
    env: { ANTHROPIC_API_KEY: 'none' },
  });
  const peak = await peakMegabytes(program, REPLY_MEGABYTES);
  const { wasTooLong, status } = await program.ended;
  premise(attempts > 0, 'the server was not asked');
  return heldUnless(
    [
      ...(peak > REPLY_MEGABYTES ? [`more than ${String(REPLY_MEGABYTES)} MB`] : []),
      ...(wasTooLong ? ['still reading after 40 s'] : []),
      ...(attempts > 1 ? [`asked again ${String(attempts - 1)} times`] : []),
    ],
    `status ${String(status)}, at most ${String(peak)} MB`,
  );
}

const BEGIN = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } })}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`;
const DELTA = `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word '.repeat(12_000) } })}\n\n`;

const SLOW_PATTERN = '^(a+)+$';
const SLOW_TEXT = `${'a'.repeat(40)}b`;

attacks('Nothing from outside stops the loop, fills the memory, or keeps a signal from ending the program', [
  {
    id: 'M2',
    tried: 'edit_file of 2.5 MB in a file of 5 MB of one letter',
    run: async (world) => {
      world.write('proj/big.txt', 'a'.repeat(5_000_000));
      return endsInTime(
        world,
        world.calling('edit_file', { path: 'big.txt', oldText: 'a'.repeat(2_500_000), newText: 'b' }),
      );
    },
  },
  {
    id: 'M3',
    tried: 'twenty reads of 64 kB that look like the beginning of a token',
    run: async (world) => {
      world.write('proj/tokens.txt', 'eyJ-'.repeat(16_000));
      const read = { name: 'read_file', input: { path: 'tokens.txt' } };
      return endsInTime(world, world.script({ tools: Array.from({ length: 20 }, () => read) }));
    },
  },
  {
    id: 'M4a',
    tried: 'one reply with 400 reads of 10 MB',
    run: async (world) => {
      world.write('proj/big.txt', 'line of text\n'.repeat(800_000));
      const read = { name: 'read_file', input: { path: 'big.txt' } };
      const model = world.script({ tools: Array.from({ length: 400 }, () => read) });
      const program = world.start(['chat', '-m', model, '-p', 'go', '--json'], {
        input: '',
        limitMs: 45_000,
      });
      const peak = await peakMegabytes(program, 900);
      const { wasTooLong, stderr } = await program.ended;
      premise(world.sessions().length === 1, `no session: ${stderr}`);
      return heldUnless(
        [...(peak > 900 ? ['more than 900 MB'] : []), ...(wasTooLong ? ['not over after 45 s'] : [])],
        `at most ${String(peak)} MB`,
      );
    },
  },
  {
    id: 'M4b',
    tried: 'one reply with 60 calls of a slow tool: how many run at once',
    run: async (world) => {
      const module = ledgerModule(
        world,
        "const wait = () => new Promise((go) => setTimeout(go, 300));\nexport const slow = { name: 'slow', description: 's', input: { type: 'object' }, effect: 'none', execute: async () => { append(1); await wait(); append(-1); return 1; } };\n",
      );
      const model = world.script({ tools: Array.from({ length: 60 }, () => ({ name: 'slow', input: {} })) });
      await world.run(['chat', '-m', model, '-t', module, '-p', 'go']);
      let now = 0;
      const most = Math.max(0, ...ledgerOf(world).map((step) => (now += Number(step))));
      premise(most > 0 || world.eventsOf(world.session, 'tool-settled').length > 0, 'no call ran');
      return most > 8 ? broken(`${String(most)} at once`) : held(`at most ${String(most)} at once`);
    },
  },
  {
    id: 'M5a',
    tried: 'a schema of a graph file whose pattern takes for ever, and an answer that meets it',
    run: async (world) => {
      const schema = `{ type: object, properties: { v: { type: string, pattern: '${SLOW_PATTERN}' } }, required: [v] }`;
      const flow = world.write(
        'proj/f.yaml',
        `name: f\nend: [ask]\nnodes:\n  ask: { kind: human, prompt: What, schema: ${schema} }\n`,
      );
      const ran = await world.run(['run', flow, '-m', 'demo'], {
        input: `a {"v":"${SLOW_TEXT}"}\n`,
        limitMs: FROZEN_MS,
      });
      const wasAsked = world.sessions().some((id) => world.eventsOf(id, 'interrupt-raised').length > 0);
      premise(wasAsked || ran.status === 2, `no question: ${ran.stderr}`);
      return ran.wasTooLong
        ? broken(`frozen for ${String(FROZEN_MS / 1000)} s`)
        : held(`status ${String(ran.status)} after ${(ran.ms / 1000).toFixed(1)} s`);
    },
  },
  {
    id: 'M5b',
    tried: 'a pattern in the answer schema of an imported question, and an answer that meets it',
    run: async (world) => {
      const answerSchema = { type: 'string', pattern: SLOW_PATTERN };
      const toolRequest = { name: 'ask_user', ref: 'c1', input: { question: 'What?' } };
      const metadata = {
        interrupt: { question: 'What?' },
        hitl: { id: 'i1', kind: 'question', raisedBy: 'tool', answerSchema },
      };
      const document = [
        { role: 'user', content: [{ text: 'x' }] },
        { role: 'model', content: [{ toolRequest, metadata }] },
      ];
      const imported = await world.run([
        'import',
        world.write('e.json', JSON.stringify(document)),
        '--quiet',
      ]);
      if (imported.status !== 0) return held(`the import is refused: ${imported.stderr}`);
      const ran = await world.run(['answer', world.session, `answer ${SLOW_TEXT}`], { limitMs: FROZEN_MS });
      return ran.wasTooLong
        ? broken(`frozen for ${String(FROZEN_MS / 1000)} s`)
        : held(`status ${String(ran.status)} after ${(ran.ms / 1000).toFixed(1)} s`);
    },
  },
  {
    id: 'M6',
    tried: 'a web server that sends one byte every three seconds',
    run: async (world) => {
      const server = world.keep(
        await Loopback.start((_, response) => {
          response.writeHead(200, { 'content-type': 'text/plain' });
          const drip = setInterval(() => {
            response.write('x');
          }, 3_000);
          response.on('close', () => {
            clearInterval(drip);
          });
        }),
      );
      const model = world.calling('fetch_url', { url: `${server.url}/` });
      const { host } = new URL(server.url);
      world.write('home/config.json', JSON.stringify({ rules: { allow: [`fetch_url ${host}`] } }));
      const ran = await world.run(['chat', '-m', model, '-p', 'go'], { limitMs: 48_000 });
      premise(server.received.length > 0, `nothing was fetched: ${ran.stderr}`);
      return ran.wasTooLong
        ? broken('the call was still open after 48 s')
        : held(`over after ${(ran.ms / 1000).toFixed(0)} s`);
    },
  },
  {
    id: 'M7a',
    tried: 'a model server that sends one line without an end',
    run: async (world) => endlessReply(world, 'data: ', 'x'.repeat(65_536)),
  },
  {
    id: 'M7b',
    tried: 'a model server that sends text without an end',
    run: async (world) => endlessReply(world, BEGIN, DELTA),
  },
  {
    id: 'M16a',
    tried: 'SIGTERM while a tool has frozen the program',
    run: async (world) => endsBy(world, 'SIGTERM'),
  },
  {
    id: 'M16b',
    tried: 'SIGINT while a tool has frozen the program',
    run: async (world) => endsBy(world, 'SIGINT'),
  },
  {
    id: 'L11',
    tried: 'the inbox of a running session cannot be read: whether somebody hears that `cancel` is off',
    run: async (world) => {
      const module = ledgerModule(
        world,
        "export const slow = { name: 'slow', description: 's', input: { type: 'object' }, effect: 'none', execute: async (i, c) => { append('on'); await new Promise((go) => { setTimeout(go, 9000); c.signal.addEventListener('abort', go); }); return 1; } };\n",
      );
      const id = await world.chat(
        world.script({ text: 'hello' }, { tools: [{ name: 'slow', input: {} }] }),
        '-t',
        module,
      );
      const program = world.start(['resume', id, '-p'], { input: 'again\n' });
      while (!program.hasEnded && ledgerOf(world).length === 0) await sleep(50);
      const inbox = world.path('home/sessions', id, 'inbox.jsonl');
      rmSync(inbox, { force: true });
      mkdirSync(inbox);
      await sleep(1_500);
      const cancelled = await world.run(['cancel', id]);
      await sleep(2_500);
      premise(ledgerOf(world).length > 0, `the tool did not run: ${program.stderr}`);
      if (program.hasEnded) return held('it ended');
      const isTold = program.stderr.includes('inbox');
      const said = `\`cancel\` ended with ${String(cancelled.status)}`;
      return isTold
        ? held('told')
        : broken(`it runs on, and does not say that it cannot be cancelled; ${said}`);
    },
  },
  {
    id: 'L14',
    tried: 'an error text of 800 kB from the model server',
    run: async (world) => {
      const message = 'messages: '.padEnd(800_000, 'thinking ');
      const body = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
      const server = world.keep(
        await Loopback.start((_, response) => {
          response.writeHead(400, { 'content-type': 'application/json' }).end(body);
        }),
      );
      const ran = await world.run(['chat', '-m', 'anthropic:m', '--base-url', server.url, '-p', 'go'], {
        limitMs: FROZEN_MS,
        env: { ANTHROPIC_API_KEY: 'none' },
      });
      premise(server.received.length > 0, 'the server was not asked');
      return ran.wasTooLong ? broken('frozen') : held(`${(ran.ms / 1000).toFixed(1)} s`);
    },
  },
]);
