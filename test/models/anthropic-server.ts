import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'vitest';

import type {
  JsonObject,
  Message,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ToolDescriptor,
} from '../../src/core/index.js';
import { AppendList, textPart } from '../../src/core/index.js';
import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import type { AnthropicModelOptions } from '../../src/models/anthropic/index.js';
import { createAnthropicModel } from '../../src/models/anthropic/index.js';
import { ManualClock } from './manual-clock.js';

/** What `JSON.parse` gives. */
export type Loose = ReturnType<typeof JSON.parse>;
export type LooseObject = Record<string, Loose>;

/** How an answer goes over the wire. */
export type Cutting = 'whole' | 'crlf' | { readonly bytes: number };

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly cutting?: Cutting;
  /** Sizes of the pieces of the body, over and over; `modelFrom` alone looks at it. */
  readonly sizes?: readonly number[];
  /** What happens after the body. Default `end`. */
  readonly then?: 'end' | 'destroy' | 'hang';
}

export const sse = (body: string): Answer => ({ headers: { 'content-type': 'text/event-stream' }, body });

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Event lines as a stream of server-sent events. */
export function eventStream(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** A whole message as the stream that it would have been, its tool inputs in pieces of 20 characters. */
export function messageStream(message: LooseObject): string {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = message;
  const start = {
    ...rest,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const blocks = (content as LooseObject[]).flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    { type: 'ping' },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  return eventStream([
    { type: 'message_start', message: start } as { type: string },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, ...(stop_details && { stop_details }) },
      usage,
    } as { type: string },
    { type: 'message_stop' },
  ]);
}

function emptied(block: LooseObject): unknown {
  if (block['type'] === 'text') return { ...block, text: '', ...(block['citations'] && { citations: [] }) };
  if (block['type'] === 'thinking') return { ...block, thinking: '', signature: '' };
  return 'input' in block ? { ...block, input: {} } : block;
}

function deltasOf(block: LooseObject): unknown[] {
  if (block['type'] === 'text') {
    const citations = (block['citations'] ?? []) as unknown[];
    const said = pieces(block['text'], 7).map((text) => ({ type: 'text_delta', text }));
    return [...citations.map((citation) => ({ type: 'citations_delta', citation })), ...said];
  }
  if (block['type'] === 'thinking') {
    const thought = pieces(block['thinking'], 9).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return [...thought, { type: 'signature_delta', signature: block['signature'] }];
  }
  if (!('input' in block)) return [];
  const text = Object.keys(block['input']).length === 0 ? '' : JSON.stringify(block['input']);
  return ['', ...pieces(text, 20)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}

function pieces(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
}

export interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: LooseObject;
}

/** A server on loopback that gives one answer after the other, and checks every request that it gets (G19). */
export class LoopbackServer implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #answers: Answer[];
  readonly #server: Server;
  connections = 0;

  private constructor(answers: readonly Answer[]) {
    this.#answers = [...answers];
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(...answers: readonly Answer[]): Promise<LoopbackServer> {
    const server = new LoopbackServer(answers);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    for (const { body } of this.received) expect(checkRequest(body)).toEqual([]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    this.received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const answer = this.#answers.shift();
    if (answer === undefined) {
      response.writeHead(418, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"unexpected","message":"no answer is left"}}');
      return;
    }
    response.writeHead(answer.status ?? 200, answer.headers);
    await write(response, cut(answer.body, answer.cutting ?? 'whole'));
    if (answer.then === 'destroy') response.destroy();
    else if (answer.then !== 'hang') response.end();
  }
}

function cut(body: string | Uint8Array, cutting: Cutting): Uint8Array[] {
  const text = Buffer.from(body).toString();
  const bytes = Buffer.from(cutting === 'crlf' ? text.replaceAll(/\r?\n/g, '\r\n') : text);
  if (cutting === 'whole' || cutting === 'crlf') return [bytes];
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += cutting.bytes) parts.push(bytes.subarray(at, at + cutting.bytes));
  return parts;
}

/** Each part is a chunk of its own: the client's parser hands them on one by one. */
async function write(response: ServerResponse, parts: readonly Uint8Array[]): Promise<void> {
  for (const part of parts) {
    if (!response.write(part)) await once(response, 'drain');
  }
}

/** Retries wait for nothing; silence, and the end of an answer, are never waited for in vain. */
export const impatient = () => new ManualClock((ms) => ms >= 500 && ms < 60_000);

export function modelAt(server: LoopbackServer, options: Partial<AnthropicModelOptions> = {}): Model {
  const clock = options.clock ?? impatient();
  return createAnthropicModel({
    model: 'claude-test',
    apiKey: 'key-of-the-test',
    baseUrl: server.url,
    maxTries: 1,
    ...options,
    clock,
  });
}

export const hello: Message = { role: 'user', content: [textPart('Hello')] };

export function requestOf(
  messages: readonly Message[] = [hello],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { messages: AppendList.of(messages), tools: [], ...more };
}

export function toolNamed(name: string, inputSchema: JsonObject = { type: 'object' }): ToolDescriptor {
  return {
    name,
    description: `The tool ${name}`,
    inputSchema,
    effect: 'once',
    origin: 'test',
    restartable: true,
  };
}

export interface Told {
  readonly events: readonly ModelEvent[];
  readonly reply: ModelReply;
  /** The text deltas since the last restart, joined. */
  readonly text: string;
}

/** Asks the model and collects what it tells; the reply is the last event, and the only one. */
export async function ask(
  model: Model,
  request: ModelRequest = requestOf(),
  signal?: AbortSignal,
): Promise<Told> {
  const events: ModelEvent[] = [];
  for await (const event of model.generate(request, signal ?? new AbortController().signal))
    events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'reply') throw new Error(`the last event is ${JSON.stringify(last)}`);
  expect(events.filter(({ type }) => type === 'reply')).toHaveLength(1);
  return { events: events.slice(0, -1), reply: last.reply, text: textSince(events) };
}

function textSince(events: readonly ModelEvent[]): string {
  let text = '';
  for (const event of events) {
    if (event.type === 'restarted') text = '';
    if (event.type === 'text-delta') text += event.text;
  }
  return text;
}

/** What a model throws, as an object that can be compared. */
export async function failureOfAsking(asking: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await asking;
  } catch (thrown) {
    const { code, message, hint, detail } = thrown as Record<string, unknown>;
    return { code, message, hint, detail };
  }
  throw new Error('it did not fail');
}

/** A model of Anthropic's whose answers are made here, without a network. */
export function modelFrom(
  answer: (body: LooseObject, count: number) => Answer,
  options: Partial<AnthropicModelOptions> = {},
): Model {
  let count = 0;
  const send: typeof fetch = async (_url, init) => {
    const body = JSON.parse((init?.body ?? '') as string) as LooseObject;
    expect(checkRequest(body)).toEqual([]);
    count += 1;
    return respond(answer(body, count));
  };
  const clock = options.clock ?? impatient();
  const key = 'sk-ant-key-of-the-test';
  return createAnthropicModel({
    model: 'claude-test',
    apiKey: key,
    fetch: send,
    maxTries: 1,
    ...options,
    clock,
  });
}

function respond({ status = 200, headers = {}, body, sizes = [Infinity], then }: Answer): Response {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let at = 0;
  let piece = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) {
        const size = sizes[piece % sizes.length] ?? 1;
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + size)));
        at += size;
        piece += 1;
      } else if (then === 'destroy') controller.error(new TypeError('terminated'));
      else if (then !== 'hang') controller.close();
    },
  });
  return new Response(stream, { status, headers });
}
