import { fork } from 'node:child_process';
import { request } from 'node:http';
import path from 'node:path';

import { bench, product } from '../harness/places.mjs';
import { median } from '../harness/statistics.mjs';

const tool = { name: 'write', description: 'Writes.', input_schema: { type: 'object', properties: {} } };
const body = {
  model: 'claude-sonnet-5-5',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'hi' }],
  tools: [tool],
};

/** Collects what the deltas say; the least that a reader has to do. */
class Collector {
  #text = '';
  #line = '';

  feed(piece) {
    const lines = (this.#line + piece).split('\n');
    this.#line = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const { delta } = JSON.parse(line.slice(6));
      this.#text += delta?.text ?? delta?.partial_json ?? '';
    }
  }

  get length() {
    return this.#text.length;
  }
}

const contenders = {
  /** `node:http` and a line parser. */
  http: () => (url) =>
    new Promise((resolve, reject) => {
      const collector = new Collector();
      const sent = request(`${url}/v1/messages`, { method: 'POST' }, (response) => {
        response.setEncoding('utf8');
        response.on('data', (piece) => collector.feed(piece));
        response.on('end', () => resolve(collector.length));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    }),

  /** `fetch` and a line parser. */
  fetch: () => async (url) => {
    const collector = new Collector();
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) });
    const decoder = new TextDecoder();
    for await (const piece of response.body) collector.feed(decoder.decode(piece, { stream: true }));
    return collector.length;
  },

  /** The SDK's events as they come. */
  async sdk() {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    return async (url) => {
      const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
      let text = '';
      for await (const { delta } of await client.messages.create({ ...body, stream: true })) {
        text += delta?.text ?? delta?.partial_json ?? '';
      }
      return text.length;
    };
  },

  /** The SDK's assembled message. */
  async sdkStream() {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    return async (url) => {
      const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
      const [block] = (await client.messages.stream(body).finalMessage()).content;
      return (block.text ?? block.input.content).length;
    };
  },

  async hitl() {
    const { createModel, systemClock } = await product('lib/index.js');
    const descriptor = {
      name: 'write',
      description: 'Writes.',
      inputSchema: { type: 'object', properties: {} },
      effect: 'once',
      origin: 'bench',
      restartable: true,
    };
    const messages = {
      length: 1,
      at: (index) => (index === 0 || index === -1 ? user : undefined),
      toArray: () => [user],
      [Symbol.iterator]: () => [user].values(),
    };
    const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
    return async (url) => {
      const model = await createModel('anthropic:claude-sonnet-5-5', {
        clock: systemClock,
        baseUrl: url,
        apiKey: 'none',
      });
      let length = 0;
      for await (const event of model.generate(
        { messages, tools: [descriptor] },
        new AbortController().signal,
      )) {
        if (event.type === 'reply') {
          const [part] = event.reply.content;
          length = (part.text ?? part.input.content).length;
        }
      }
      return length;
    };
  },

  async aiSdk() {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const { streamText, tool: makeTool, jsonSchema } = await import('ai');
    const tools = {
      write: makeTool({
        description: 'Writes.',
        inputSchema: jsonSchema({ type: 'object', properties: {} }),
      }),
    };
    return async (url) => {
      const model = createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })('claude-sonnet-5-5');
      const result = streamText({ model, tools, prompt: 'hi', maxRetries: 0 });
      for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
      const [call] = await result.toolCalls;
      return (call?.input.content ?? (await result.text)).length;
    };
  },
};

/** @param params `{ how, kind: 'text' | 'input', size }` */
export async function measure({ how, kind, size, times = 5 }) {
  const server = fork(path.join(bench, 'harness', 'stream-server.mjs'), { stdio: 'ignore' });
  const port = await new Promise((resolve) => server.once('message', resolve));
  const url = `http://127.0.0.1:${port}/${kind}/${size}`;
  const read = await contenders[how]();
  const expected = kind === 'text' ? size * 5 : size;
  await read(`http://127.0.0.1:${port}/${kind}/2000`);
  const walls = [];
  const processor = [];
  for (let time = 0; time < times; time += 1) {
    const start = { wall: performance.now(), cpu: process.cpuUsage() };
    const length = await read(url);
    const { user, system } = process.cpuUsage(start.cpu);
    walls.push(performance.now() - start.wall);
    processor.push((user + system) / 1000);
    if (length < expected) throw new Error(`${length} characters instead of ${expected}`);
  }
  server.disconnect();
  const cpuMs = median(processor);
  const deltas = kind === 'text' ? size : size / 20;
  return { ms: median(walls), cpuMs, kiloDeltasPerSecond: deltas / median(walls) };
}
