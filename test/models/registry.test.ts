import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { createModel, DEFAULT_ANTHROPIC_MODEL, parseModelSpec } from '../../src/models/index.js';
import { fakeClock } from '../../src/testing/index.js';

import { replyOf, requestOf, text } from './converse.js';

describe('a model spec', () => {
  const aliases = {
    fast: 'claude-haiku-5-5',
    mine: 'fast',
    loop: 'round',
    round: 'loop',
    tape: 'replay:a:b.json',
  };

  test.for<[string, ReturnType<typeof parseModelSpec>]>([
    ['anthropic:claude-opus-5', { type: 'anthropic', model: 'claude-opus-5' }],
    ['anthropic:qwen3:8b', { type: 'anthropic', model: 'qwen3:8b' }],
    ['anthropic', { type: 'anthropic', model: DEFAULT_ANTHROPIC_MODEL }],
    ['claude-opus-5', { type: 'anthropic', model: 'claude-opus-5' }],
    [' demo ', { type: 'demo' }],
    ['script:a.jsonl', { type: 'script', file: 'a.jsonl' }],
    ['replay:a.json', { type: 'replay', file: 'a.json' }],
    ['mine', { type: 'anthropic', model: 'claude-haiku-5-5' }],
    ['ai-sdk:@ai-sdk/openai/gpt-5', { type: 'ai-sdk', package: '@ai-sdk/openai', model: 'gpt-5' }],
    ['ai-sdk:some-provider/org/m:1', { type: 'ai-sdk', package: 'some-provider', model: 'org/m:1' }],
    ['tape', { type: 'replay', file: 'a:b.json' }],
    ['acp:gemini', { type: 'acp', agent: 'gemini' }],
    ['acp:node agent.mjs --acp', { type: 'acp', agent: 'node agent.mjs --acp' }],
  ])('%s', ([spec, parsed]) => {
    expect(parseModelSpec(spec, { aliases })).toEqual(parsed);
  });

  test('names a model of another server where there is one', () => {
    expect(parseModelSpec('qwen3:8b', { baseUrl: 'http://127.0.0.1:11434' })).toEqual({
      type: 'anthropic',
      model: 'qwen3:8b',
    });
  });

  const known =
    'valid models: anthropic:<model>, ai-sdk:<package>/<model>, acp:<agent>, demo, script:<file>, replay:<file>, claude-…';

  test.for<[string, string, string]>([
    ['dmeo', 'unknown model `dmeo`', `did you mean \`demo\`? ${known}`],
    [
      'antropic:claude-opus-5',
      'unknown model `antropic:claude-opus-5`',
      `did you mean \`anthropic:claude-opus-5\`? ${known}`,
    ],
    ['scripts:x', 'unknown model `scripts:x`', `did you mean \`script:x\`? ${known}`],
    ['gpt-99-turbo', 'unknown model `gpt-99-turbo`', known],
    [
      'llama3:8b',
      'unknown model `llama3:8b`',
      `${known}; for a local Ollama use --model anthropic:llama3:8b --base-url http://127.0.0.1:11434`,
    ],
    [
      'ollama:llama3',
      'unknown model `ollama:llama3`',
      `${known}; for a local Ollama use --model anthropic:llama3 --base-url http://127.0.0.1:11434`,
    ],
    [
      'openai:gpt-5',
      'unknown model `openai:gpt-5`',
      `${known}; for another provider, install its package and use --model ai-sdk:@ai-sdk/openai/gpt-5`,
    ],
    [
      'gemini/gemini-3-pro',
      'unknown model `gemini/gemini-3-pro`',
      `${known}; for another provider, install its package and use --model ai-sdk:@ai-sdk/google/gemini-3-pro`,
    ],
    ['', 'unknown model ``', known],
    ['demo:x', 'unknown model `demo:x`', `did you mean \`demo\`? ${known}`],
    ['toString', 'unknown model `toString`', known],
    ['script:', 'model `script:` requires a file', 'write `script:<file>`'],
    ['replay', 'model `replay:` requires a file', 'write `replay:<file>`'],
    ['ai-sdk:gpt-5', 'model `ai-sdk:` requires a package and model', 'write `ai-sdk:<package>/<model>`'],
    ['ai-sdk:../x/y', 'model `ai-sdk:` requires a package and model', 'write `ai-sdk:<package>/<model>`'],
    ['anthropic:', 'model `anthropic:` requires a model', 'write `anthropic:<model>`'],
  ])('refuses %j and says what is known', ([spec, message, hint]) => {
    expect(() => parseModelSpec(spec)).toThrow(expect.objectContaining({ code: 'USAGE', message, hint }));
  });

  test('suggests nothing for what is far too long to be a name', () => {
    expect(() => parseModelSpec('x'.repeat(5000))).toThrow(expect.objectContaining({ hint: known }));
  });

  test('suggests a name of the configuration', () => {
    expect(() => parseModelSpec('fats', { aliases: { fast: 'demo' } })).toThrow(
      expect.objectContaining({ hint: `did you mean \`fast\`? ${known}, fast` }),
    );
  });

  test('refuses an alias that refers to itself', () => {
    expect(() => parseModelSpec('loop', { aliases })).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: 'the model alias `loop` refers to itself',
        hint: 'aliases: `loop` → `round` → `loop`',
      }),
    );
  });
});

describe('the registry', () => {
  const clock = fakeClock({ auto: true });
  const asked = requestOf([text('user', 'x')]);
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hitl-registry-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function file(name: string, content: string): Promise<string> {
    const place = path.join(folder, name);
    await writeFile(place, content);
    return place;
  }

  test('the demo model is part of the CLI, not of the library', async () => {
    await expect(createModel('demo', { clock })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'the demo model is part of the CLI, not of the library',
      hint: 'use `scriptedModel` to play replies, or specify another model',
    });
  });

  test('makes the model of a script, which knows what was not played', async () => {
    const place = await file('s.jsonl', '{"text":"a","delayMs":5}\n{"text":"b"}\n');
    const model = await createModel(`script:${place}`, { clock });
    expect(model.id).toBe(`script:${place}`);
    expect(await replyOf(model, asked)).toEqual({ content: [{ type: 'text', text: 'a' }], end: 'stop' });
    expect(() => model.assertAllUsed?.()).toThrow(`not played: ${place}:2`);
  });

  test('makes the model of a recording', async () => {
    const messages = [
      { role: 'user', content: [{ text: 'x' }] },
      { role: 'model', content: [{ text: 'then' }] },
    ];
    const place = await file('t.json', JSON.stringify({ format: 'hitl-transcript', messages }));
    const model = await createModel(`replay:${place}`, { clock });
    expect(model.id).toBe(`replay:${place}`);
    expect(await replyOf(model, asked)).toEqual({ content: [{ type: 'text', text: 'then' }], end: 'stop' });
  });

  test('makes an Anthropic model without asking it anything', async () => {
    const options = {
      clock,
      apiKey: 'sk-test-0123456789',
      silenceMs: 1000,
      maxOutputTokens: 100,
      random: () => 0,
    };
    const model = await createModel('claude-opus-5', { ...options, baseUrl: 'http://127.0.0.1:9' });
    expect(model.id).toBe('anthropic:claude-opus-5');
  });

  describe('a provider package of the AI SDK that is installed beside the program', () => {
    const spec = 'ai-sdk:@made-up/some-cloud/org/m1';
    const finish = { type: 'finish', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 1 } };
    const parts = [{ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: 'hi' }, finish];
    const streamOf = (given: readonly object[]) =>
      new ReadableStream<object>({
        start(stream) {
          for (const part of given) stream.enqueue(part);
          stream.close();
        },
      });
    const languageModel = (modelId: string) => ({
      specificationVersion: 'v2',
      provider: 'some',
      modelId,
      doStream: () => Promise.resolve({ stream: streamOf(parts) }),
    });
    const provider = Object.assign(() => undefined, { languageModel });

    test.for<[string, object]>([
      [
        'under its own name',
        { other: { languageModel: () => undefined }, someCloud: provider, createSomeCloud: () => provider },
      ],
      ['under another one', { createSome: () => undefined, cloud: provider, createCloud: () => provider }],
    ])('makes a model of the provider that it exports %s', async ([, exported]) => {
      const loaded: string[] = [];
      const loadPackage = (name: string) => {
        loaded.push(name);
        return Promise.resolve(exported);
      };
      const model = await createModel(spec, { clock, loadPackage, silenceMs: Infinity });
      expect([model.id, model.isPriced, model.takesEffort, loaded]).toEqual([
        spec,
        false,
        false,
        ['@made-up/some-cloud'],
      ]);
      expect(await replyOf(model, asked)).toEqual({
        content: [{ type: 'text', text: 'hi' }],
        end: 'stop',
        usage: { inputTokens: 3, outputTokens: 1 },
      });
    });

    describe('with a server that somebody named (adopter 1)', () => {
      /** A package whose provider asks where it is told, or where it always asks. */
      const asking = (home: string | undefined) => (settings: { fetch: typeof fetch; baseURL?: string }) => ({
        languageModel: (modelId: string) => ({
          specificationVersion: 'v2',
          provider: 'some',
          modelId,
          doStream: async () => {
            const response = await settings.fetch(
              `${home ?? settings.baseURL ?? 'https://api.some.example'}/chat`,
              {
                headers: { authorization: 'key' },
              },
            );
            return { stream: streamOf(JSON.parse(await response.text()) as object[]) };
          },
        }),
      });
      const provider = { languageModel: () => undefined };
      const server = 'http://127.0.0.1:4899/v1';

      async function askedOf(exported: object, options: object) {
        const sent: string[] = [];
        vi.stubGlobal('fetch', (url: string) => {
          sent.push(url);
          return Promise.resolve(new Response(JSON.stringify(parts)));
        });
        const reply = (async () => {
          const model = await createModel(spec, {
            clock,
            loadPackage: () => Promise.resolve(exported),
            silenceMs: Infinity,
            ...options,
          });
          return replyOf(model, asked);
        })();
        const outcome = await reply.then(
          () => 'replied',
          (thrown: unknown) => thrown,
        );
        vi.unstubAllGlobals();
        return { asked: sent, outcome };
      }

      test('asks that one', async () => {
        const exported = { someCloud: provider, createSomeCloud: asking(undefined) };
        expect([
          await askedOf(exported, { baseUrl: server }),
          (await askedOf(exported, {})).asked,
          await askedOf({ createSomeCloud: asking(undefined) }, { baseUrl: server }),
        ]).toEqual([
          { asked: [`${server}/chat`], outcome: 'replied' },
          ['https://api.some.example/chat'],
          { asked: [`${server}/chat`], outcome: 'replied' },
        ]);
      });

      test('asks no other, also where the package does not take its address', async () => {
        const exported = { someCloud: provider, createSomeCloud: asking('https://api.some.example') };
        expect(await askedOf(exported, { baseUrl: server })).toMatchObject({
          asked: [],
          outcome: {
            code: 'BAD_CONFIG',
            message:
              '`@made-up/some-cloud` would send requests to `api.some.example` instead of the `--base-url` server',
          },
        });
      });

      test.for([
        ['http://10.0.0.5/v1', 'unencrypted'],
        ['ftp://x', 'not an http or https URL'],
      ] as const)('asks nothing of %s', async ([baseUrl, why]) => {
        const exported = { someCloud: provider, createSomeCloud: asking(undefined) };
        const found = await askedOf(exported, { baseUrl });
        expect([found.asked, found.outcome]).toEqual([
          [],
          expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringContaining(why) as string }),
        ]);
      });

      test('has to have one, where the package is for servers of any maker', async () => {
        expect(await askedOf({ createSomeCloud: asking(undefined) }, {})).toMatchObject({
          asked: [],
          outcome: { code: 'USAGE', message: '`@made-up/some-cloud` requires a server URL' },
        });
      });
    });

    const keyless = {
      languageModel() {
        throw new Error('SOME_KEY is missing');
      },
    };

    test.for<[string, () => Promise<unknown>, object]>([
      [
        'whose requests would be its own',
        () => Promise.resolve({ someCloud: provider }),
        {
          code: 'USAGE',
          message:
            '`@made-up/some-cloud` has no `create…` function, so its requests cannot be restricted to one server',
        },
      ],
      [
        'that is not there',
        () => Promise.reject(new Error('Cannot find package')),
        {
          code: 'USAGE',
          message: 'cannot load package `@made-up/some-cloud`: Cannot find package',
          hint: 'install it next to hitl: npm install @made-up/some-cloud',
        },
      ],
      [
        'that is something else',
        () => Promise.resolve({ languageModel: 1 }),
        { code: 'USAGE', message: 'the package `@made-up/some-cloud` does not export an AI SDK provider' },
      ],
      [
        'that wants a key first',
        () => Promise.resolve({ p: keyless, createP: () => keyless }),
        {
          code: 'BAD_CONFIG',
          message: '`@made-up/some-cloud` makes no model `org/m1`: SOME_KEY is missing',
        },
      ],
    ])('is told where it is one %s', async ([, loadPackage, error]) => {
      await expect(createModel(spec, { clock, loadPackage, silenceMs: Infinity })).rejects.toMatchObject(
        error,
      );
    });
  });

  test.for(['script', 'replay'])('says which file of `%s:` cannot be read', async (kind) => {
    const place = path.join(folder, 'missing');
    await expect(createModel(`${kind}:${place}`, { clock })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(`\`${place}\`: ENOENT`),
    });
  });

  test('refuses an unknown spec', async () => {
    await expect(createModel('dmeo', { clock })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
