import { attacks } from './attacks.js';
import { at, parsed, textAt } from './json.js';
import type { Ended } from './process.js';
import type { Respond } from './servers.js';
import { endReply, Loopback, openReply, replyText, writeBlock, writeCall, writeText } from './servers.js';
import { ledgerModule, ledgerOf } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** A chat with a server; where the program refuses to begin, the server is not asked. */
async function served(world: World, respond: Respond, ...flags: readonly string[]): Promise<Ended> {
  const server = world.keep(await Loopback.start(respond));
  const ran = await world.run(['chat', '-m', 'anthropic:m', '--base-url', server.url, '-p', 'go', ...flags], {
    env: { ANTHROPIC_API_KEY: 'none' },
  });
  premise(server.received.length > 0 || ran.status === 2, `the server was not asked: ${ran.stderr}`);
  return ran;
}

/** A reply that stopped for another reason than being done. */
async function stopped(world: World, stopReason: string): Promise<Verdict> {
  const ran = await served(
    world,
    (_, response) => {
      replyText(response, 'I will', { stopReason });
    },
    '--json',
  );
  const status = textAt(parsed(ran.stdout), 'status');
  return heldUnless(
    [
      ...(ran.status === 0 ? ['exit status 0'] : []),
      ...(status === 'done' || status === '' ? [`status ${JSON.stringify(status)} in --json`] : []),
    ],
    `exit status ${String(ran.status)}, status ${status}`,
  );
}

attacks('What a model server says: costs, reasons to stop, and tools that it runs by itself', [
  {
    id: 'X2',
    tried: '`--max-cost 0.01` with a model whose price nobody knows',
    run: async (world) => {
      const module = ledgerModule(
        world,
        "export const look = { name: 'look', description: 'l', input: { type: 'object' }, effect: 'none', execute: async () => (append('looked'), 'seen') };\n",
      );
      let replies = 0;
      const ran = await served(
        world,
        (_, response) => {
          replies += 1;
          if (replies > 4) {
            replyText(response, 'done');
            return;
          }
          openReply(response);
          writeCall(response, replies, { name: 'look', input: {} });
          endReply(response, { stopReason: 'tool_use' });
        },
        '-t',
        module,
        '--max-cost',
        '0.01',
        '--json',
      );
      const isTold = /cost|price/iu.test(ran.stderr);
      premise(replies > 0 || ran.status === 2, 'nothing happened');
      return ran.status === 0 && !isTold
        ? broken(
            `${String(ledgerOf(world).length)} calls, ${String(replies * 61_500)} tokens, no limit and not a word (costUsd ${String(at(parsed(ran.stdout), 'costUsd'))})`,
          )
        : held(`status ${String(ran.status)}${isTold ? ', told' : ''}`);
    },
  },
  { id: 'X3a', tried: 'a model that refuses', run: async (world) => stopped(world, 'refusal') },
  {
    id: 'X3b',
    tried: 'a reply that is cut at its length',
    run: async (world) => stopped(world, 'max_tokens'),
  },
  {
    id: 'X3c',
    tried: 'a conversation that fills the context',
    run: async (world) => stopped(world, 'model_context_window_exceeded'),
  },
  {
    id: 'X6',
    tried: 'a search that the server ran by itself',
    run: async (world) => {
      const server = world.keep(
        await Loopback.start((_, response) => {
          openReply(response);
          writeText(response, 0, 'Before.');
          writeBlock(response, 1, {
            type: 'server_tool_use',
            id: 'srvtoolu_1',
            name: 'web_search',
            input: { query: 'who wins' },
          });
          const result = {
            type: 'web_search_result',
            url: 'https://example.org/a',
            title: 'A',
            encrypted_content: 'x',
          };
          writeBlock(response, 2, {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [result],
          });
          writeText(response, 3, 'After.');
          endReply(response);
        }),
      );
      const screen = world.terminal(['chat', 'go', '-m', 'anthropic:m', '--base-url', server.url], {
        env: { ANTHROPIC_API_KEY: 'none' },
      });
      premise(await screen.until('After.'), `no reply: ${screen.shown}`);
      return heldUnless(
        [
          ...(/search/iu.test(screen.shown) ? [] : ['the search is not shown']),
          ...(screen.shown.includes('Before.After.') ? ['the text around it runs together'] : []),
        ],
        'it is shown',
      );
    },
  },
]);
