import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/core/index.js';
import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import type { MessagesServer } from '../helpers/messages-server.js';
import { hasMessagesServer, startMessagesServer } from '../helpers/messages-server.js';
import type { Ran, RunOptions } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';
import type { PayModule } from '../helpers/tool-module.js';
import { payModule } from '../helpers/tool-module.js';
import type { Answer } from '../models/anthropic-server.js';
import { eventStream, LoopbackServer, sse } from '../models/anthropic-server.js';

const KEY = 'dummy-key-that-nobody-may-see';
const BOB = { to: 'Bob', amount: 5 };
const PAY = { name: 'pay', arguments: JSON.stringify(BOB) };

/** An independent server that speaks the Messages API. It validates nothing, so every request is checked here. */
let server: MessagesServer;

/** Stands before it, and keeps what the program really sent. */
let proxy: Server;
let url = '';
let sent: JsonObject[] = [];

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  sent.push(JSON.parse(body) as JsonObject);
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const answer = await fetch(`${server.url}${request.url ?? ''}`, { method: 'POST', headers, body });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}

/** Waits of the program are a fiftieth: what it does after each is the same. */
const SHORT_WAITS = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import timers from 'node:timers/promises';
     import { syncBuiltinESMExports } from 'node:module';
     const wait = timers.setTimeout;
     timers.setTimeout = (ms, ...more) => wait(ms / 50, ...more);
     syncBuiltinESMExports();`,
  )}`,
};

/** A home with the paying tool, in which the program talks to a server, and never shows its key. */
class Talk implements Disposable {
  readonly home = new Home();
  readonly pay: PayModule;
  readonly #url: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(url: string, members?: string, env: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#env = { ANTHROPIC_API_KEY: KEY, ...env };
    this.pay = payModule(this.home, members === undefined ? {} : { members });
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const server = ['--base-url', this.#url, '--no-builtin-tools'];
    const ran = await this.home.run([...args, ...server], { ...options, env: this.#env });
    for (const text of [ran.stdout, ran.stderr, ...this.files()]) expect(text).not.toContain(KEY);
    return ran;
  }

  chat(...args: readonly string[]): Promise<Ran> {
    const tools = ['--model', 'anthropic:claude-sonnet-4-5', '--tools', this.pay.module];
    return this.run(['chat', '-p', 'Pay Bob 5', ...tools, ...args]);
  }

  files(): readonly string[] {
    const folder = this.home.sessions;
    if (!existsSync(folder)) return [];
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

/** The server asks for one payment and then tells of it. */
function serverPays(): void {
  server.on({ userMessage: 'Pay Bob', hasToolResult: false }, { content: 'I will pay.', toolCalls: [PAY] });
  server.on({ userMessage: 'Pay Bob', hasToolResult: true }, { content: 'Bob has his money.' });
}

describe.skipIf(!hasMessagesServer)(
  'with a server of the Messages API (skipped without `npm run tools`)',
  () => {
    beforeAll(async () => {
      server = await startMessagesServer();
      proxy = createServer((request, response) => {
        void forward(request, response);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      proxy.closeAllConnections();
      proxy.close();
      await server.stop();
    });
    beforeEach(() => {
      sent = [];
      server.clearFixtures();
      server.clearRequests();
      server.resetMatchCounts();
    });
    afterEach(() => {
      expect(sent).toHaveLength(server.getRequests().length);
      for (const body of sent) expect(checkRequest(body)).toEqual([]); // G19
    });

    test('an approval is asked, answered in a new process, and the tool runs once', async () => {
      serverPays();
      using talk = new Talk(url, 'needsApproval: true,');
      const asked = await talk.chat();
      expect({ status: asked.status, paid: talk.pay.paid() }).toEqual({ status: 3, paid: [] });
      expect(asked.stderr).toContain('pay needs your approval');
      const { status, stdout } = await talk.run(['resume', talk.home.id], { input: lines('y') });
      expect({ status, stdout, paid: talk.pay.paid() }).toEqual({
        status: 0,
        stdout: 'Bob has his money.\n',
        paid: [BOB],
      });
      expect(server.getRequests()).toHaveLength(2);
    });

    test('a resume talks to the server of the session, whatever the environment says by now', async () => {
      serverPays();
      using talk = new Talk(url, 'needsApproval: true,');
      await talk.chat();
      const elsewhere = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/' };
      const resume = ['resume', talk.home.id, '--no-builtin-tools'];
      const { status, stdout } = await talk.home.run(resume, { input: lines('y'), env: elsewhere });
      expect({ status, stdout, paid: talk.pay.paid() }).toEqual({
        status: 0,
        stdout: 'Bob has his money.\n',
        paid: [BOB],
      });
      expect(server.getRequests()).toHaveLength(2);
    });

    test('a limit of cost is refused at the start where the price is not known', async () => {
      using talk = new Talk(url);
      const { status, stdout, stderr } = await talk.chat('--model', 'anthropic:own-1', '--max-cost', '0.01');
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain('`anthropic:own-1` has no known price');
      expect(stderr).toContain('hint: leave out --max-cost');
      expect(server.getRequests()).toEqual([]);
    });

    test('http to another machine is refused, and goes there where a person agreed to it', async () => {
      serverPays();
      using talk = new Talk(url.replace('127.0.0.1', '0.0.0.0')); // is reached, and is no address of loopback
      const refused = await talk.chat();
      expect({ status: refused.status, stdout: refused.stdout, paid: talk.pay.paid() }).toEqual({
        status: 2,
        stdout: '',
        paid: [],
      });
      expect(refused.stderr).toContain(`to \`0.0.0.0:${new URL(url).port}\` unencrypted`);
      expect(server.getRequests()).toEqual([]);
      expect((await talk.chat('--allow-http')).status).toBe(0);
      writeFileSync(join(talk.home.path, 'config.json'), '{"allowHttp":true}');
      expect((await talk.chat()).status).toBe(0);
    });

    test('529 is waited out', async () => {
      serverPays();
      server.nextRequestError(529, { type: 'overloaded_error', message: 'Not now' });
      using talk = new Talk(url);
      const { status, stdout, stderr } = await talk.chat();
      expect({ status, stdout, paid: talk.pay.paid() }).toEqual({
        status: 0,
        stdout: 'Bob has his money.\n',
        paid: [BOB],
      });
      expect(stderr).toContain('overloaded');
    });

    test('a key that is refused ends with 7 at once', async () => {
      server.nextRequestError(401, { type: 'authentication_error', message: `no: ${KEY}` });
      using talk = new Talk(url);
      const { status, stderr } = await talk.chat();
      expect(status).toBe(7);
      expect(stderr).toContain('401');
      expect(server.getRequests()).toHaveLength(1);
    });
  },
);

const usage = { input_tokens: 10, output_tokens: 5 };

/** A reply of one text, or of one call of which the input has come in part, as a stream. */
function stream(end: string, block: object, delta: object): string {
  const message = { type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage };
  const start = { id: 'msg_1', stop_reason: null, stop_sequence: null, ...message };
  const events: readonly ({ type: string } & Record<string, unknown>)[] = [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: end, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return eventStream(events);
}

const text = (said: string, end = 'end_turn') =>
  stream(end, { type: 'text', text: '' }, { type: 'text_delta', text: said });

test('P4: a stream that is cut for ever ends with 7 and what to do; resume asks the model again', async () => {
  const whole = text('This will not be said whole.');
  const cut: Answer = {
    ...sse(whole.slice(0, whole.indexOf('event: content_block_stop'))),
    then: 'destroy',
  };
  await using loopback = await LoopbackServer.start(cut, cut, cut, cut, cut, sse(text('Said whole.')));
  using talk = new Talk(loopback.url, undefined, SHORT_WAITS);
  const failed = await talk.chat();
  expect({ status: failed.status, stdout: failed.stdout }).toEqual({ status: 7, stdout: '' });
  expect(failed.stderr).toMatch(/error: .+ after 5 tries\nhint: .+\n/u);
  expect(failed.stderr).toContain(`hint: hitl resume ${talk.home.id}\n`);
  const { status, stdout } = await talk.run(['resume', talk.home.id]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Said whole.\n' });
});

test('P5: a reply that ends inside a tool input is never offered for approval', async () => {
  const call = stream(
    'max_tokens',
    { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {} },
    { type: 'input_json_delta', partial_json: '{"to":"Bob",' },
  );
  await using loopback = await LoopbackServer.start(sse(call), sse(text('I give up.')));
  using talk = new Talk(loopback.url, 'needsApproval: true,');
  const ran = await talk.chat('--json');
  const { interrupts } = JSON.parse(ran.stdout) as { interrupts: unknown[] };
  expect({ interrupts, paid: talk.pay.paid() }).toEqual({ interrupts: [], paid: [] });
  expect(ran.status).not.toBe(3);
  expect(talk.home.events().filter(({ type }) => type === 'interrupt-raised')).toEqual([]);
});
