import { describe, expect, test } from 'vitest';

import type { ChooseModelOptions } from '../../src/models/index.js';
import { chooseModel, DEFAULT_ANTHROPIC_MODEL, probeOllama } from '../../src/models/index.js';
import { fakeClock } from '../../src/testing/index.js';

import { never } from './converse.js';

const DEFAULT_SPEC = `anthropic:${DEFAULT_ANTHROPIC_MODEL}`;
const ollama = { baseUrl: 'http://127.0.0.1:11434', model: 'qwen3:8b' };

async function choose(options: Partial<ChooseModelOptions>) {
  let probes = 0;
  const probe = options.probeOllama ?? (async () => undefined);
  const choice = await chooseModel(
    {
      env: {},
      ...options,
      probeOllama: (signal) => {
        probes += 1;
        return probe(signal);
      },
    },
    never,
  );
  return { ...choice, probes };
}

describe('the choice of a model', () => {
  const env = { HITL_MODEL: 'script:e', ANTHROPIC_API_KEY: 'sk' };

  test('is the flag before everything', async () => {
    expect(await choose({ flag: 'script:f', config: 'script:c', env, baseUrl: 'http://h' })).toEqual({
      spec: 'script:f',
      from: 'flag',
      baseUrl: 'http://h',
      notice: 'model `script:f`, set by `--model`',
      probes: 0,
    });
  });

  test('is the environment before the configuration', async () => {
    expect(await choose({ config: 'script:c', env })).toEqual({
      spec: 'script:e',
      from: 'environment',
      notice: 'model `script:e`, set by `HITL_MODEL`',
      probes: 0,
    });
  });

  test('is the configuration before a key', async () => {
    expect(await choose({ config: 'script:c', env: { ANTHROPIC_API_KEY: 'sk' } })).toEqual({
      spec: 'script:c',
      from: 'configuration',
      notice: 'model `script:c`, set by the configuration',
      probes: 0,
    });
  });

  test.for(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])('is Anthropic where %s is set', async (name) => {
    expect(await choose({ env: { [name]: 'sk' } })).toEqual({
      spec: DEFAULT_SPEC,
      from: 'key',
      notice: `model \`${DEFAULT_SPEC}\`, because \`${name}\` is set`,
      probes: 0,
    });
  });

  test('is a local Ollama that answers, where no key is set', async () => {
    expect(await choose({ env: { ANTHROPIC_API_KEY: ' ' }, probeOllama: async () => ollama })).toEqual({
      spec: 'anthropic:qwen3:8b',
      from: 'ollama',
      baseUrl: 'http://127.0.0.1:11434',
      notice:
        'model `anthropic:qwen3:8b`, because Ollama answers at http://127.0.0.1:11434 and no key is set',
      probes: 1,
    });
  });

  test('is the demo model where there is nothing else', async () => {
    expect(await choose({})).toEqual({
      spec: 'demo',
      from: 'demo',
      notice:
        'using the built-in demo model, a script (no API key, no local Ollama); set ANTHROPIC_API_KEY or --model',
      probes: 1,
    });
  });

  test('looks for no other server where one is named', async () => {
    expect(await choose({ baseUrl: 'http://h', probeOllama: async () => ollama })).toEqual({
      spec: DEFAULT_SPEC,
      from: 'flag',
      baseUrl: 'http://h',
      notice: `model \`${DEFAULT_SPEC}\`, set by \`--base-url\` without \`--model\``,
      probes: 0,
    });
  });
});

describe('the look for a local Ollama', () => {
  function answering(body: unknown, init?: ResponseInit) {
    const urls: string[] = [];
    const request: typeof fetch = async (url) => {
      urls.push(String(url instanceof Request ? url.url : url));
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), init);
    };
    return { urls, request };
  }

  test('asks loopback, and nothing else', async () => {
    const { urls, request } = answering({ models: [{ name: 'nomic-embed-text' }, { name: 'qwen3:8b' }] });
    expect(await probeOllama({ request, clock: fakeClock() }, never)).toEqual(ollama);
    expect(urls).toEqual(['http://127.0.0.1:11434/api/tags']);
  });

  test.for<[string, unknown, ResponseInit?]>([
    ['an error', {}, { status: 500 }],
    ['no JSON', '<html>'],
    ['no list', { models: 'many' }],
    ['an empty list', { models: [] }],
    ['nothing that can be talked to', { models: [{ name: 'bge-m3' }, { name: 7 }, null] }],
    ['null', null],
  ])('takes %s for none', async ([, body, init]) => {
    expect(
      await probeOllama({ request: answering(body, init).request, clock: fakeClock() }, never),
    ).toBeUndefined();
  });

  test('takes a closed port for none', async () => {
    const request: typeof fetch = async () => Promise.reject(new TypeError('fetch failed'));
    expect(await probeOllama({ request, clock: fakeClock() }, never)).toBeUndefined();
  });

  test('takes a server that does not answer in time for none, whatever it does with its signal', async () => {
    const clock = fakeClock();
    const request: typeof fetch = async () => new Promise(() => {});
    const probed = probeOllama({ request, clock }, never);
    await clock.untilSleeping();
    await clock.advance(300);
    expect(await probed).toBeUndefined();
  });

  test('throws where the caller stops it', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(
      probeOllama({ request: answering({ models: [] }).request, clock: fakeClock() }, stopped),
    ).rejects.toThrow('stopped');
  });
});
