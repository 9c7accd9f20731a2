// `--model ai-sdk:<package>/<model>` with each package as it is shipped.
import { afterEach, describe, expect, test, vi } from 'vitest';

import { isInstalled } from '../../../scripts/tools.mjs';
import { AppendList, textPart } from '../../../src/core/index.js';
import { createModel } from '../../../src/models/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { anthropic } from './anthropic.js';
import { google } from './google.js';
import { openAiResponses } from './openai-responses.js';

const rows = [
  [openAiResponses.packages.v4, openAiResponses, 'OPENAI_API_KEY', 'authorization'],
  [openAiResponses.packages.v3, openAiResponses, 'OPENAI_API_KEY', 'authorization'],
  [anthropic.packages.v4, anthropic, 'ANTHROPIC_API_KEY', 'x-api-key'],
  [anthropic.packages.v3, anthropic, 'ANTHROPIC_API_KEY', 'x-api-key'],
  [google.packages.v4, google, 'GOOGLE_GENERATIVE_AI_API_KEY', 'x-goog-api-key'],
  [google.packages.v3, google, 'GOOGLE_GENERATIVE_AI_API_KEY', 'x-goog-api-key'],
] as const;
const KEY = 'key-of-the-test';

describe.for(rows)('--model ai-sdk:%s/m1', { skip: !isInstalled() }, ([name, wire, variable, header]) => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });

  async function asking(answer: () => Response, server: { readonly baseUrl?: string } = {}) {
    const { load } = await import('../../../tools/providers/index.mjs');
    const sent: (RequestInit | undefined)[] = [];
    const asked: string[] = [];
    vi.stubEnv(variable, KEY);
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
      asked.push(new URL(url).origin);
      sent.push(init);
      return Promise.resolve(answer());
    });
    const clock = fakeClock({ auto: true });
    const options = { clock, loadPackage: load, silenceMs: Infinity, ...server };
    const model = await createModel(`ai-sdk:${name}/m1`, options);
    const messages = AppendList.of([{ role: 'user' as const, content: [textPart('go')] }]);
    const told: string[] = [];
    const stream = model.generate({ messages, tools: [] }, new AbortController().signal);
    const failure: unknown = await (async () => {
      for await (const event of stream) if (event.type === 'text-delta') told.push(event.text);
      return undefined;
    })().catch((thrown: unknown) => thrown);
    return { told, sent, asked, failure };
  }

  test('takes the key of its variable, and tells what comes', async () => {
    const lines = wire.lines({ words: ['do', 'ne'], end: 'stop' });
    const body = lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('');
    const { told, sent, failure } = await asking(
      () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
    expect([failure, told]).toEqual([undefined, ['do', 'ne']]);
    expect(new Headers(sent[0]?.headers).get(header)).toContain(KEY);
  });

  test('asks the server that somebody named, and no other (adopter 1)', async () => {
    const { asked } = await asking(() => new Response('{}', { status: 400 }), {
      baseUrl: 'http://127.0.0.1:4899/v1',
    });
    expect(asked).toEqual(['http://127.0.0.1:4899']);
  });

  test('G33 follows no redirect with the key', async () => {
    const location = 'https://elsewhere.example/v1';
    const { sent, failure } = await asking(() => new Response(null, { status: 307, headers: { location } }));
    expect(sent.map((init) => init?.redirect)).toEqual(['manual']);
    expect(failure).toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining(`answered 307: redirect to ${location} not followed`) as string,
      detail: { status: 307, retryable: false },
    });
  });
});
