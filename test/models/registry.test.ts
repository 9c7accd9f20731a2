import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
    ['tape', { type: 'replay', file: 'a:b.json' }],
  ])('%s', ([spec, parsed]) => {
    expect(parseModelSpec(spec, { aliases })).toEqual(parsed);
  });

  test('names a model of another server where there is one', () => {
    expect(parseModelSpec('qwen3:8b', { baseUrl: 'http://127.0.0.1:11434' })).toEqual({
      type: 'anthropic',
      model: 'qwen3:8b',
    });
  });

  const known = 'known are: anthropic:<model>, demo, script:<file>, replay:<file>, claude-…';

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
      `${known}; a model of a local Ollama: --model anthropic:llama3:8b --base-url http://127.0.0.1:11434`,
    ],
    [
      'ollama:llama3',
      'unknown model `ollama:llama3`',
      `${known}; a model of a local Ollama: --model anthropic:llama3 --base-url http://127.0.0.1:11434`,
    ],
    ['', 'unknown model ``', known],
    ['demo:x', 'unknown model `demo:x`', `did you mean \`demo\`? ${known}`],
    ['toString', 'unknown model `toString`', known],
    ['script:', 'model `script:` names no file', 'write `script:<file>`'],
    ['replay', 'model `replay:` names no file', 'write `replay:<file>`'],
    ['anthropic:', 'model `anthropic:` names no model', 'write `anthropic:<model>`'],
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

  test('refuses a name that stands for itself', () => {
    expect(() => parseModelSpec('loop', { aliases })).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: 'model `loop` of the configuration stands for itself',
        hint: 'it leads from `loop` to `round` to `loop`',
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

  test('the demo model is part of the program, and not of the library', async () => {
    await expect(createModel('demo', { clock })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'the demo model is part of the program, and not of the library',
      hint: 'play replies with `scriptedModel`, or name another model',
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
