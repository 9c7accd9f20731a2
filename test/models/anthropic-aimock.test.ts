import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { JsonObject, Message, Model, ModelReply, Part } from '../../src/core/index.js';
import { checkMessages, textOf, textPart, toolRequestsOf } from '../../src/core/index.js';
import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import type { AnthropicModelOptions } from '../../src/models/anthropic/index.js';
import { createAnthropicModel } from '../../src/models/anthropic/index.js';
import type { MessagesServer } from '../helpers/messages-server.js';
import { hasMessagesServer, startMessagesServer } from '../helpers/messages-server.js';
import { ask, failureOfAsking, impatient, requestOf, toolNamed } from './anthropic-server.js';

/** An independent server that speaks the Messages API. It validates nothing, so every request is checked here. */
let server: MessagesServer;
let sent: JsonObject[] = [];

function model(options: Partial<AnthropicModelOptions> = {}): Model {
  return createAnthropicModel({
    model: 'claude-sonnet-4-5',
    apiKey: 'key-of-the-test',
    baseUrl: server.url,
    clock: impatient(),
    fetch: async (url, init) => {
      sent.push(JSON.parse(init?.body as string));
      return fetch(url, init);
    },
    ...options,
  });
}

/** Every request that the server journaled is one that was checked. */
function expectChecked(requests: number): void {
  expect(server.getRequests().map(({ path }) => path)).toEqual(Array(requests).fill('/v1/messages'));
  expect(sent).toHaveLength(requests);
  for (const body of sent) expect(checkRequest(body)).toEqual([]);
}

const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const said = (reply: ModelReply): Message => ({ role: 'model', content: reply.content });

/** Answers each request of a reply with its own name and input. */
function results(reply: ModelReply): Message {
  const content = toolRequestsOf(said(reply)).map(({ ref, name, input }): Part => {
    return { type: 'tool-response', ref, name, output: { did: name, with: input } };
  });
  return { role: 'tool', content };
}

const tools = ['get_weather', 'get_time'].map((name) => {
  return toolNamed(name, { type: 'object', properties: { city: { type: 'string' } } });
});

describe.skipIf(!hasMessagesServer)('with an independent server (skipped without `npm run tools`)', () => {
  beforeAll(async () => {
    server = await startMessagesServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.clearFixtures();
    server.clearRequests();
    server.resetMatchCounts();
    sent = [];
  });

  test('text streams, over two turns', async () => {
    server.onMessage('hello', { content: 'Grüße! How can I help?' });
    server.onMessage('bye', { content: 'Bye.' });
    const first = await ask(model(), requestOf([user('hello')], { system: 'Be kind.' }));
    const second = await ask(model(), requestOf([user('hello'), said(first.reply), user('bye')]));

    expect(first.text).toBe('Grüße! How can I help?');
    expect(first.reply).toMatchObject({ content: [textPart('Grüße! How can I help?')], end: 'stop' });
    expect(second.text).toBe('Bye.');
    expectChecked(2);
  });

  test('a tool is called and its result answered', async () => {
    const call = { name: 'get_weather', arguments: '{"city":"Köln \\"am\\" Rhein"}' };
    server.on({ userMessage: 'weather', hasToolResult: false }, { toolCalls: [call] });
    server.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It rains.' });
    const question = user('weather');
    const { reply } = await ask(model(), requestOf([question], { tools }));
    const messages = [question, said(reply), results(reply)];
    const answer = await ask(model(), requestOf(messages, { tools }));

    expect(reply.end).toBe('tool-use');
    expect(toolRequestsOf(said(reply))).toMatchObject([
      { name: 'get_weather', input: { city: 'Köln "am" Rhein' } },
    ]);
    expect(answer.text).toBe('It rains.');
    expect(checkMessages(messages)).toEqual([]);
    expectChecked(2);
  });

  test('several tools are called at once, text first, and all answered in one turn', async () => {
    const toolCalls = [
      { name: 'get_weather', arguments: '{"city":"Köln"}' },
      { name: 'get_time', arguments: '{}' },
      { name: 'get_weather', arguments: '{"city":"Bonn"}' },
    ];
    server.on({ userMessage: 'both', hasToolResult: false }, { content: 'Let me look.', toolCalls });
    server.on({ userMessage: 'both', hasToolResult: true }, { content: 'Rain, noon, rain.' });
    const { reply } = await ask(model(), requestOf([user('both')], { tools }));
    const answer = await ask(model(), requestOf([user('both'), said(reply), results(reply)], { tools }));

    expect(textOf(said(reply))).toBe('Let me look.');
    expect(toolRequestsOf(said(reply)).map(({ name, input }) => [name, input])).toEqual([
      ['get_weather', { city: 'Köln' }],
      ['get_time', {}],
      ['get_weather', { city: 'Bonn' }],
    ]);
    expect(answer.text).toBe('Rain, noon, rain.');
    expectChecked(2);
  });

  test('thinking comes with its signature and goes back with it', async () => {
    const thoughts = {
      reasoning: 'A hard one.',
      reasoningSignature: 'c2lnbmF0dXJl',
      redactedThinking: ['b3BhcXVl'],
    };
    server.on(
      { userMessage: 'think', hasToolResult: false },
      { toolCalls: [{ name: 'get_time', arguments: '{}' }], ...thoughts },
    );
    server.on({ userMessage: 'think', hasToolResult: true }, { content: 'Noon.' });
    const { reply, events } = await ask(model(), requestOf([user('think')], { tools }));
    await ask(model(), requestOf([user('think'), said(reply), results(reply)], { tools }));

    expect(reply.content.filter(({ type }) => type === 'reasoning')).toEqual([
      {
        type: 'reasoning',
        text: '',
        metadata: { anthropic: { type: 'redacted_thinking', data: 'b3BhcXVl' } },
      },
      {
        type: 'reasoning',
        text: 'A hard one.',
        metadata: { anthropic: { type: 'thinking', signature: 'c2lnbmF0dXJl' } },
      },
    ]);
    expect(events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join('')).toBe(
      'A hard one.',
    );
    expect(sent[1]).toHaveProperty('messages.1.content', [
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
      { type: 'thinking', thinking: 'A hard one.', signature: 'c2lnbmF0dXJl' },
      expect.objectContaining({ type: 'tool_use', name: 'get_time', input: {} }),
    ]);
    expectChecked(2);
  });

  test.for([
    [429, 'rate_limit_error', 'rate limit'],
    [529, 'overloaded_error', 'overloaded'],
  ] as const)('%i is waited out', async ([status, type, reason]) => {
    server.nextRequestError(status, { type, message: 'Not now' });
    server.onMessage('hello', { content: 'Here I am.' });
    const { events, text } = await ask(model(), requestOf([user('hello')]));

    expect(events[0]).toMatchObject({ type: 'retrying', attempt: 2, reason });
    expect(text).toBe('Here I am.');
    expectChecked(2);
  });

  test('429 for ever ends with what the server says', async () => {
    server.onMessage('hello', {
      error: { type: 'rate_limit_error', message: 'Slow down' },
      status: 429,
      retryAfter: 3,
    });
    const failure = await failureOfAsking(ask(model(), requestOf([user('hello')])));

    expect(failure).toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('answered 429 rate_limit_error: Slow down'),
      detail: { status: 429, retryAfterMs: 3000, tries: 5 },
    });
    expectChecked(5);
  });

  test('a connection that breaks in the middle is an error, and no reply', async () => {
    server.onMessage(
      'hello',
      { content: 'This will not be said whole.' },
      { chunkSize: 4, truncateAfterChunks: 4 },
    );
    const failure = await failureOfAsking(ask(model({ maxTries: 1 }), requestOf([user('hello')])));

    expect(failure).toMatchObject({ code: 'MODEL_FAILED', detail: { retryable: true } });
    expectChecked(1);
  });

  test('a slow drip is waited for', async () => {
    server.onMessage('hello', { content: 'Drop by drop.' }, { chunkSize: 1, latency: 5 });
    const { text, events } = await ask(model(), requestOf([user('hello')]));

    expect(text).toBe('Drop by drop.');
    expect(events.length).toBeGreaterThan(5);
    expectChecked(1);
  });
});
