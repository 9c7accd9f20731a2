import { describe, expect, test } from 'vitest';

import { createAnthropicModel } from '../../src/models/anthropic/index.js';
import { readModels } from '../../src/models/anthropic/list-models.js';
import { listedModel } from '../../src/models/anthropic/known-models.js';
import { requestOf } from './anthropic-server.js';
import { ManualClock } from './manual-clock.js';

test.for([
  ['claude-sonnet-4-5-20250929', 200_000],
  ['claude-opus-4-0', 200_000],
  ['claude-opus-4-6', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
  ['llama3:8b', undefined],
] as const)('the window of %s is %j', ([model, tokens]) => {
  expect(listedModel(model)?.window).toBe(tokens);
});

test('price and window of a listed model count behind another server too', () => {
  const made = (model: string) =>
    createAnthropicModel({ model, baseUrl: 'http://127.0.0.1:1', clock: new ManualClock() });
  const known = (model: string) => [made(model).isPriced, made(model).contextTokens];
  expect([known('claude-sonnet-4-5'), known('llama3:8b')]).toEqual([
    [true, 200_000],
    [false, undefined],
  ]);
});

describe('the count of tokens', () => {
  const counting = (respond: () => Promise<Response>) => {
    const sent: { url: string; body: unknown }[] = [];
    const model = createAnthropicModel({
      model: 'claude-sonnet-5-5',
      apiKey: 'sk-ant-key-of-the-test',
      clock: new ManualClock(),
      fetch: (url, init) => {
        const text = typeof init?.body === 'string' ? init.body : '';
        sent.push({ url: url instanceof Request ? url.url : url.toString(), body: JSON.parse(text) });
        return respond();
      },
    });
    return { sent, count: () => model.countTokens(requestOf(), new AbortController().signal) };
  };

  test('is asked of the server with what would be sent, but for the limit of the reply', async () => {
    const { sent, count } = counting(() => Promise.resolve(Response.json({ input_tokens: 1_234 })));
    expect(await count()).toBe(1_234);
    const [{ url, body } = { url: '', body: {} }] = sent;
    expect([url, Object.keys(body ?? {}).sort()]).toEqual([
      'https://api.anthropic.com/v1/messages/count_tokens',
      ['messages', 'model'],
    ]);
  });

  test.for<[string, () => Promise<Response>]>([
    ['has no such address', () => Promise.resolve(new Response('', { status: 404 }))],
    ['says something else', () => Promise.resolve(new Response('<html>'))],
    ['cannot be reached', () => Promise.reject(new Error('no route'))],
  ])('is nothing where the server %s, and that one is not asked again', async ([, respond]) => {
    const { sent, count } = counting(respond);
    expect([await count(), await count(), sent.length]).toEqual([undefined, undefined, 1]);
  });
});

describe('the list of a server', () => {
  const sonnet = {
    type: 'model',
    id: 'claude-sonnet-4-5',
    display_name: 'Claude Sonnet 4.5',
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    lifecycle: 'deprecated',
    retires_at: '2027-01-01T00:00:00Z',
    capabilities: { image_input: { supported: true }, pdf_input: { supported: false } },
  };

  test('says limits, end and capabilities of each model, with the price where it is known', () => {
    expect(readModels(JSON.stringify({ data: [sonnet, { id: 'llama3' }, { id: 5 }, null] }))).toEqual([
      {
        id: 'claude-sonnet-4-5',
        name: 'Claude Sonnet 4.5',
        contextTokens: 200_000,
        outputTokens: 64_000,
        lifecycle: 'deprecated',
        retiresAt: '2027-01-01T00:00:00Z',
        capabilities: ['image_input'],
        price: { input: 3, output: 15 },
      },
      { id: 'llama3' },
    ]);
    expect(
      readModels(JSON.stringify({ data: [{ ...sonnet, lifecycle: 'active' }] }))?.[0],
    ).not.toHaveProperty('lifecycle');
  });

  test.for(['', '<html>', '[]', '{"data":{}}'])('is none in %j', (text) => {
    expect(readModels(text)).toBeUndefined();
  });

  const asked = (response: Response, urls: string[] = []) =>
    createAnthropicModel({
      model: 'claude-sonnet-5-5',
      apiKey: 'sk-ant-key-of-the-test',
      clock: new ManualClock(),
      fetch: (url) => {
        urls.push(url instanceof Request ? url.url : url.toString());
        return Promise.resolve(response);
      },
    }).listModels(new AbortController().signal);

  test('is asked of the server, and a wrong key is told as with any request', async () => {
    const urls: string[] = [];
    expect(await asked(Response.json({ data: [{ id: 'a' }] }), urls)).toEqual([{ id: 'a' }]);
    expect(urls).toEqual(['https://api.anthropic.com/v1/models?limit=1000']);
    const refusal = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
    await expect(asked(Response.json(refusal, { status: 401 }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      detail: { status: 401 },
    });
    await expect(asked(new Response('<html>'))).rejects.toThrow('the response is not a list of models');
  });
});
