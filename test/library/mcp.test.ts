import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { attachedResources } from '../../commands/mcp/attached-resources.js';
import { textOffers } from '../../commands/mcp/text-offers.js';
import type { PromptPlace } from '../../commands/mcp/server-prompts.js';
import { withServerPrompts } from '../../commands/mcp/server-prompts.js';
import type { JsonValue, Resolution } from '../../src/core/index.js';
import { emptyState } from '../../src/core/index.js';
import { generate } from '../../src/library/index.js';
import { connectMcp } from '../../src/library/mcp.js';
import { scriptedModel } from '../../src/models/index.js';
import { answers } from '../../src/tools/index.js';
import { compiled } from '../helpers/compiled.js';
import { runningServers } from '../helpers/everything.js';

const handler = createMcpHandler(() => {
  const server = new McpServer(
    { name: 'sums', version: '1' },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  const properties = { a: { type: 'number' }, b: { type: 'number' } };
  const inputSchema = fromJsonSchema<{ a: number; b: number }>({ type: 'object', properties });
  server.registerTool('sum', { description: 'Adds.', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  server.registerResource('note', 'note://1', {}, () => ({
    contents: [{ uri: 'note://1', text: 'the key is sk-ant-0123456789abcdef' }],
  }));
  const words = { item: { type: 'string' }, size: { type: 'string' } };
  const argsSchema = fromJsonSchema<{ item: string; size?: string }>({
    type: 'object',
    properties: words,
    required: ['item'],
  });
  server.registerPrompt('order', { description: 'Orders it.', argsSchema }, ({ item, size = 'any' }) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `Order ${item}, ${size}.\u001b[2J` } },
      { role: 'assistant', content: { type: 'text', text: 'the key is sk-ant-0123456789abcdef' } },
    ],
  }));
  server.registerPrompt('colour', { description: 'Asks first.' }, (context) => {
    const given = context.mcpReq.inputResponses?.['which'];
    if (given === undefined) {
      const requestedSchema = fromJsonSchema({ type: 'object', properties: { colour: { type: 'string' } } });
      const which = inputRequired.elicit({ message: 'Which colour?', requestedSchema });
      return inputRequired({ inputRequests: { which } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(given) } }] };
  });
  return server;
});

/** The keys that requests came with. */
const keys = new Set<string | undefined>();
const http = createServer((request, response) => {
  void (async () => {
    keys.add(request.headers.authorization);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const method = request.method ?? 'GET';
    const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    const given = await handler.fetch(
      new Request(`http://localhost${request.url ?? '/'}`, { method, headers, ...body }),
    );
    response.writeHead(given.status, Object.fromEntries(given.headers));
    for await (const chunk of given.body ?? []) response.write(chunk);
    response.end();
  })();
});

let url: string;
beforeAll(async () => {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

test('the tools of a server at an address are asked about, and run once a person agrees', async () => {
  await using sums = await connectMcp({ sums: { url, headers: { Authorization: 'Bearer k' } } });
  expect(sums.tools.map(({ name }) => name)).toEqual(['sums__sum']);
  const model = scriptedModel([
    { tools: [{ name: 'sums__sum', input: { a: 2, b: 40 } }] },
    { text: 'It is 42.' },
  ]);
  const { tools } = sums;
  const asked = await generate({ model, tools, prompt: 'add' });
  const [interrupt] = asked.interrupts;
  expect(interrupt?.payload).toMatchObject({ facts: { server: url } });
  const done = await generate({
    model,
    tools,
    messages: asked.messages,
    resume: [answers.restart(interrupt!)],
  });
  expect(done.text).toBe('It is 42.');
  expect(JSON.stringify(done.messages)).toContain('"42"');
  expect([...keys]).toEqual(['Bearer k']);
});

test('a program that has ended its server ends at once', () => {
  const program = compiled(path.join(import.meta.dirname, 'mcp-program.ts'));
  expect(execFileSync(process.execPath, [program], { encoding: 'utf8' })).toBe('one__go at once\n');
});

test('a server that is not there offers no tools and is told, and a name that is none is refused', async () => {
  const told: string[] = [];
  const notice = (server: string, line: string) => void told.push(`${server}: ${line}`);
  await using none = await connectMcp({ gone: { command: '/nowhere/server' } }, { notice });
  expect([none.tools, told]).toEqual([[], [expect.stringContaining('gone: server `gone` is unreachable')]]);
  await expect(connectMcp({ a__b: { url } })).rejects.toThrow('invalid server name `a__b`');
});

test('a resource that a message names is attached with its keys masked, and what is not given is told', async () => {
  const server = { type: 'http', name: 'sums', from: '--mcp', url, headers: {} } as const;
  await using servers = await runningServers([server]);
  const attached = await attachedResources(
    servers,
    'look at @sums:note://1 and @sums:note://2, not @other:note://1 or @sums',
    { secrets: [], takesMedia: false },
    new AbortController().signal,
  );
  expect(attached.parts).toEqual([
    { type: 'text', text: expect.stringMatching(/^note:\/\/1\nthe key is (?!sk-ant-0123456789abcdef)/u) },
  ]);
  expect(attached.notices).toEqual([
    expect.stringMatching(/^attached: sums:note:\/\/1 \(\d+ characters\)$/u),
    expect.stringMatching(/^not attached: sums:note:\/\/2: /u),
  ]);
});

test('a prompt of a server that wants to know something first asks whoever chose it, and cancels where nobody is', async () => {
  const server = { type: 'http', name: 'sums', from: '--mcp', url, headers: {} } as const;
  const asked: unknown[] = [];
  await using there = await runningServers([server], {
    ask: ({ payload }, asker) => {
      asked.push([asker, payload]);
      return Promise.resolve({ colour: 'red' });
    },
  });
  await using nobody = await runningServers([server]);
  const said = async ([connection]: typeof there.connections) => {
    const prompt = connection!.texts.prompts.find(({ name }) => name === 'colour')!;
    return connection!.prompt(prompt, {}, new AbortController().signal);
  };
  expect(await said(there.connections)).toEqual([
    { type: 'text', text: '{"action":"accept","content":{"colour":"red"}}' },
  ]);
  expect(asked).toEqual([['sums__colour', { message: 'Which colour?' }]]);
  expect(await said(nobody.connections)).toEqual([{ type: 'text', text: '{"action":"cancel"}' }]);
});

describe('a prompt of a server', () => {
  /** Says lines at a prompt until one becomes a message; what was told and asked on the way. */
  async function said(lines: readonly string[], there: { yes: boolean; form?: object } | undefined) {
    const server = { type: 'http', name: 'sums', from: '--mcp', url, headers: {} } as const;
    await using servers = await runningServers([server]);
    const told: string[] = [];
    const asked: unknown[] = [];
    const place: PromptPlace = {
      servers: {
        servers,
        settled: () => Promise.resolve(),
        ask: ({ question, asker }) => {
          asked.push(asker, question.answerSchema);
          const by = { type: 'person', name: 'ann', via: 'terminal' } as const;
          const output = there?.form as JsonValue | undefined;
          const resolution = output === undefined ? { action: 'cancel' } : { action: 'respond', output };
          return Promise.resolve({ resolution: resolution as Resolution, by });
        },
      },
      secrets: [],
      takesMedia: () => false,
      say: (text) => void told.push(text),
      beginWork: () => new AbortController().signal,
      ...(there && {
        confirm: (message: string) => {
          told.push(message);
          return Promise.resolve(there.yes);
        },
      }),
    };
    const left = [...lines];
    const turns = withServerPrompts(
      {
        next: () => {
          const text = left.shift();
          return Promise.resolve(
            text === undefined ? { type: 'end', why: 'no more' } : { type: 'message', text },
          );
        },
      },
      place,
    );
    const turn = await turns.next(emptyState(), new AbortController().signal);
    return { turn, told, asked, left };
  }

  const sent = {
    type: 'message',
    text: '/sums:order item=tea',
    attached: [
      {
        type: 'text',
        text: expect.stringMatching(
          /^I chose the prompt order from server sums\. It says:\n```\nuser: Order tea, any\..*\n\nassistant: the key is (?!sk-ant-0123456789abcdef).*\n```$/su,
        ),
      },
    ],
  };

  test('is sent by a script as what the server makes of it, between fences and with its keys masked', async () => {
    expect(await said(['/sums:order tea'], undefined)).toEqual({ turn: sent, told: [], asked: [], left: [] });
  });

  test('is shown with every control character spelled out before a person sends it, or sends nothing', async () => {
    const seen = [
      expect.stringMatching(/^sums says \(3 lines\):\n│ user: Order tea, any\..*\n│ \n│ assistant: /su),
      'Send this text from sums?',
    ];
    const once = await said(['/sums:order tea'], { yes: true });
    expect(once).toMatchObject({ turn: sent, told: seen });
    expect(once.told.join('')).not.toContain('\u001b');
    expect(await said(['/sums:order tea', 'next'], { yes: false })).toMatchObject({
      turn: { type: 'message', text: 'next' },
      told: seen,
    });
  });

  test('asks for what is not said of it in a form, and a script is told what it needs', async () => {
    const properties = { item: { type: 'string' }, size: { type: 'string' } };
    const asked = await said(['/sums:order'], { yes: true, form: { item: 'tea', size: '' } });
    expect([asked.turn, asked.asked]).toEqual([
      sent,
      ['sums:order', { type: 'object', properties, required: ['item'] }],
    ]);
    await expect(said(['/sums:order'], undefined)).rejects.toMatchObject({
      message: 'the prompt `sums:order` requires `item`',
      hint: 'use /sums:order <item> [size], or item=…',
    });
  });

  test('that the server does not have is told, and a line about no server is text', async () => {
    const { told, turn } = await said(['/sums:ordr', '/etc:passwd'], { yes: true });
    expect([told, turn]).toEqual([
      ['server `sums` has no prompt `ordr`; did you mean `order`?'],
      { type: 'message', text: '/etc:passwd' },
    ]);
  });

  test('is offered as one types, and so are the resources of a server', async () => {
    const server = { type: 'http', name: 'sums', from: '--mcp', url, headers: {} } as const;
    await using servers = await runningServers([server]);
    const offers = textOffers(servers);
    expect(['/su', 'see @sums:n', '/sums:order'].map(offers)).toEqual([
      [
        { line: '/sums:order ', label: '/sums:order <item> [size]', help: 'Orders it.' },
        { line: '/sums:colour', label: '/sums:colour', help: 'Asks first.' },
      ],
      [{ line: 'see @sums:note://1', label: '@sums:note://1', help: 'note' }],
      [],
    ]);
  });
});
