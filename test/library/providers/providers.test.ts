// Provider packages of the AI SDK as they are shipped, of the two versions that people install, with their wires played.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { isInstalled } from '../../../scripts/tools.mjs';
import { AppendList, textPart } from '../../../src/core/index.js';
import { answers, defineTool, generate, HitlError } from '../../../src/index.js';
import { fromAiSdk } from '../../../src/library/ai-sdk.js';
import { fakeClock } from '../../../src/testing/index.js';
import { anthropic } from './anthropic.js';
import { google } from './google.js';
import { openAiChat } from './openai-chat.js';
import { openAiResponses } from './openai-responses.js';
import type { Loose, Played, Version, Wire } from './wire.js';
import { PICTURE, shot, twoCalls, USED } from './wire.js';

const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => ({ paid: amount }),
);
const square = defineTool({ name: 'square', description: 'Squares.', input: z.number() }, (n) => n * n);
const url = `data:image/png;base64,${PICTURE}`;
const shoot = defineTool(
  { name: 'shoot', description: 'Shoots.', input: z.object({}), multipart: true },
  () => ({ output: 'the screen', content: [{ type: 'media' as const, url, contentType: 'image/png' }] }),
);
const words = (...said: readonly string[]): Played => ({ words: said, end: 'stop' });

/** An answer of the server: a reply, the start of one, or an error. */
type Answer =
  | Played
  | { readonly cut: Played }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

async function serving(wire: Wire, version: Version, given: readonly Answer[]) {
  const { load } = await import('../../../tools/providers/index.mjs');
  const answering = [...given];
  const bodies: Loose[] = [];
  const settings = {
    apiKey: 'key-of-the-test',
    fetch: (_url: unknown, init?: RequestInit) => {
      bodies.push(JSON.parse(typeof init?.body === 'string' ? init.body : ''));
      return Promise.resolve(responseOf(wire, answering.shift() ?? { status: 500 }));
    },
  };
  const clock = fakeClock({ auto: true });
  const model = fromAiSdk(wire.make(await load(wire.packages[version]), settings), {
    clock,
    random: () => 0,
  });
  return { model, bodies, clock };
}

function responseOf(wire: Wire, answer: Answer): Response {
  if ('status' in answer) {
    const headers = { 'content-type': 'application/json', ...answer.headers };
    return new Response(JSON.stringify(wire.failure(answer.status, 'no')), {
      status: answer.status,
      headers,
    });
  }
  const lines = 'cut' in answer ? wire.lines(answer.cut).slice(0, -3) : wire.lines(answer);
  const body = lines.map((line) => `data: ${typeof line === 'string' ? line : JSON.stringify(line)}\n\n`);
  return new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

async function failure(promise: Promise<unknown>): Promise<HitlError> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  if (thrown instanceof HitlError) return thrown;
  throw new Error('it is no error of ours', { cause: thrown });
}

const wires = [openAiChat, openAiResponses, anthropic, google];
const rows = wires.flatMap((wire) =>
  (['v3', 'v4'] as const).map((version): [string, Wire, Version] => [
    `${wire.name}, ${version}`,
    wire,
    version,
  ]),
);

describe.for(rows)('a model of %s', { skip: !isInstalled() }, ([, wire, version]) => {
  test('streams its reply in pieces, and tells what was used', async () => {
    const { model, clock } = await serving(wire, version, [words('do', 'ne')]);
    const told: string[] = [];
    const done = await generate({
      model,
      clock,
      prompt: 'go',
      onEvent: (event) => {
        if (event.type === 'text-delta') told.push(event.text);
      },
    });
    expect([done.text, told, done.finishReason]).toEqual(['done', ['do', 'ne'], 'stop']);
    const { inputTokens, outputTokens, cacheReadTokens } = done.usage;
    expect([inputTokens, outputTokens, cacheReadTokens]).toEqual([USED.input, USED.output, USED.cached]);
  });

  test('asks for tools in parallel; one is approved with another input by a later process, and it is told both results', async () => {
    const { model, clock, bodies } = await serving(wire, version, [twoCalls, words('done')]);
    const request = { model, clock, tools: [pay, square], system: 'be kind' };
    const asked = await generate({ ...request, prompt: 'go' });
    expect([asked.finishReason, asked.interrupts.map(({ kind }) => kind)]).toEqual([
      'interrupted',
      ['confirmation'],
    ]);
    const messages = JSON.parse(JSON.stringify(asked.messages)) as typeof asked.messages;
    const resume = [answers.restart(asked.interrupts[0]!, { input: { amount: 6 } })];
    expect((await generate({ ...request, messages, resume })).text).toBe('done');
    expect(wire.said(bodies[1]).slice(1)).toEqual(wire.afterCalls[version]);
  });

  test('is shown images: of a person, and of a tool', async () => {
    const { model, clock, bodies } = await serving(wire, version, [shot, words('ok')]);
    const content = [{ text: 'look' }, { media: { url, contentType: 'image/png' } }];
    await generate({ model, clock, tools: [shoot], messages: [{ role: 'user', content }] });
    expect(wire.said(bodies[1])).toEqual(wire.images);
  });

  test.for([
    ['stop', 'stop'],
    ['length', 'length'],
    ['refusal', 'blocked'],
  ] as const)('whose reply ends with %s is told as %s', async ([end, reason]) => {
    const { model, clock } = await serving(wire, version, [{ words: ['so'], end }]);
    const { text, finishReason } = await generate({ model, clock, prompt: 'go' });
    expect([text, finishReason]).toEqual(['so', reason]);
  });

  test('whose reply is cut off in its middle is asked again', async () => {
    const { model, clock, bodies } = await serving(wire, version, [
      { cut: words('a', 'b', 'c') },
      words('whole'),
    ]);
    expect([(await generate({ model, clock, prompt: 'go' })).text, bodies.length]).toEqual(['whole', 2]);
  });

  test.for([
    [401, 'MODEL_FAILED', 1],
    [404, 'MODEL_NOT_FOUND', 1],
    [429, 'MODEL_FAILED', 5],
    [500, 'MODEL_FAILED', 5],
  ] as const)('that answers %i fails with %s after %i tries', async ([status, code, tries]) => {
    const answering = Array.from({ length: 9 }, () => ({ status }));
    const { model, clock, bodies } = await serving(wire, version, answering);
    const error = await failure(generate({ model, clock, prompt: 'go' }));
    expect([error.code, error.detail, bodies.length]).toMatchObject([code, { status }, tries]);
  });

  test('that wants to be left alone is, and not for ever', async () => {
    const after = (seconds: string): Answer => ({ status: 429, headers: { 'retry-after': seconds } });
    const patient = await serving(wire, version, [after('2'), words('ok')]);
    const begun = patient.clock.now();
    await generate({ model: patient.model, clock: patient.clock, prompt: 'go' });
    expect(patient.clock.now() - begun).toBe(2000);
    const endless = await serving(wire, version, [after('1000000000'), words('ok')]);
    const error = await failure(generate({ model: endless.model, clock: endless.clock, prompt: 'go' }));
    expect([error.detail, endless.bodies.length]).toMatchObject([{ status: 429, retryAfterMs: 1e12 }, 1]);
  });

  test('is asked for a reply that fits a schema, with the effort that a person chose', async () => {
    const { model, bodies } = await serving(wire, version, [words('{"a":1}')]);
    const messages = AppendList.of([{ role: 'user' as const, content: [textPart('go')] }]);
    const outputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const reply = model.generate(
      { messages, tools: [], outputSchema, effort: 'low' },
      new AbortController().signal,
    );
    for await (const _event of reply);
    expect(wire.settings(bodies[0])).toEqual(wire.wanted[version]);
  });
});
