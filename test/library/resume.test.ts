import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { GenerateOptions, Model, TranscriptMessage } from '../../src/index.js';
import { answers, defineTool, generate, HitlError } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const ran: unknown[] = [];
const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  (input) => {
    ran.push(input);
    return 'paid';
  },
);
const call = (amount: number) => ({ name: 'pay', input: { amount }, ref: `c${amount}` });

async function waiting(...amounts: readonly number[]) {
  ran.length = 0;
  const model = scriptedModel([{ tools: amounts.map(call) }]);
  return generate({ model, tools: [pay], prompt: 'go' });
}

async function failure(request: GenerateOptions): Promise<HitlError> {
  const thrown: unknown = await generate(request).catch((error: unknown) => error);
  if (thrown instanceof HitlError) return thrown;
  throw new Error('it is no error of ours', { cause: thrown });
}

const said = (messages: readonly TranscriptMessage[]) =>
  messages.map(({ role, content }) => [role, content.map(({ text }) => text ?? '…').join('')]);

describe('a list of answers', () => {
  test('is taken whatever they do, in any order', async () => {
    const { messages, interrupts } = await waiting(1, 2, 3, 4);
    const [first, second, third, fourth] = interrupts;
    const resume = [
      answers.cancel(fourth!),
      answers.restart(second!, { input: { amount: 20 } }),
      answers.reject(third!, { reason: 'too much' }),
      answers.respond(first!, 'done by hand'),
    ];
    const response = await generate({ model: scriptedModel(['x', 'ok']), tools: [pay], messages, resume });
    expect(ran).toEqual([{ amount: 20 }]);
    expect(response.messages.at(-2)?.content.map(({ toolResponse }) => toolResponse?.output)).toEqual([
      'done by hand',
      'paid',
      'the user rejected this call; it did not run: too much',
      'cancelled by the user; it did not run',
    ]);
  });

  test('that leaves one out runs nothing', async () => {
    const { messages, interrupts } = await waiting(1, 2);
    const model = scriptedModel(['x', 'ok']);
    const error = await failure({ model, tools: [pay], messages, resume: [answers.restart(interrupts[0]!)] });
    expect([error.code, error.message]).toEqual(['INVALID_RESUME', '`pay#c2` (i2) is not answered']);
    expect(ran).toEqual([]);
  });
});

describe('L12: a prompt that comes with the answers', () => {
  test.for([
    ['that run something', (i: Parameters<typeof answers.restart>[0]) => answers.restart(i)],
    ['that run nothing', (i: Parameters<typeof answers.restart>[0]) => answers.reject(i)],
  ] as const)('%s is said behind the results, before the model is asked', async ([, answer]) => {
    const { messages, interrupts } = await waiting(1);
    const model = scriptedModel(['x', 'ok']);
    const chunks: unknown[] = [];
    const response = await generate({
      model,
      tools: [pay],
      messages,
      resume: [answer(interrupts[0]!)],
      prompt: 'and be quick',
      onEvent: (event) => {
        if (event.type === 'chunk') chunks.push([event.role, event.index]);
      },
    });
    expect(said(response.messages)).toEqual([
      ['user', 'go'],
      ['model', '…'],
      ['tool', '…'],
      ['user', 'and be quick'],
      ['model', 'ok'],
    ]);
    expect(chunks).toEqual([
      ['tool', 0],
      ['model', 1],
    ]);
    expect(response).not.toHaveProperty('unsaid');
  });

  test('is handed back where a call asks again', async () => {
    const ask = defineTool({ name: 'ask', description: 'Asks.' }, (_input, context) => context.interrupt());
    const model = scriptedModel([{ tools: [{ name: 'ask', input: {}, ref: 'r1' }] }]);
    const asked = await generate({ model, tools: [ask], prompt: 'go' });
    const resume = [answers.restart(asked.interrupts[0]!)];
    const again = await generate({ model, tools: [ask], messages: asked.messages, resume, prompt: 'quick' });
    expect([again.finishReason, again.unsaid]).toEqual(['interrupted', 'quick']);
    expect(said(again.messages)).toEqual([
      ['user', 'go'],
      ['model', '…'],
    ]);
  });

  test('is in the messages of a failure where it was said, and beside them where it was not', async () => {
    const { messages, interrupts } = await waiting(1);
    const resume = [answers.restart(interrupts[0]!)];
    const model: Model = {
      id: 'broken',
      // oxlint-disable-next-line require-yield -- it fails before there is anything to tell
      async *generate() {
        throw new TypeError('socket hang up');
      },
    };
    const failed = await failure({ model, tools: [pay], messages, resume, prompt: 'quick' });
    expect([failed.code, failed.message]).toEqual(['MODEL_FAILED', 'socket hang up']);
    expect(said(failed.detail?.messages ?? []).at(-1)).toEqual(['user', 'quick']);
    expect(failed.detail).not.toHaveProperty('unsaid');
    const signal = AbortSignal.abort();
    const stopped = await failure({ model, tools: [pay], messages, resume, prompt: 'quick', signal });
    expect([stopped.code, stopped.detail?.['unsaid']]).toEqual(['ABORTED', 'quick']);
  });
});

describe('F1, L16: whatever fails after a tool ran has its result in `detail.messages`, and a repeat does not run it again', () => {
  const model = () => scriptedModel(['x', { error: { message: 'overloaded' } }, 'ok']);
  const throwing = () => {
    throw new RangeError('of the caller');
  };
  test.for<[string, Partial<GenerateOptions>, string, string]>([
    ['the model', {}, 'MODEL_FAILED', 'overloaded'],
    ['the condition that stops the run', { stopWhen: throwing }, 'INTERNAL', 'of the caller'],
    [
      'who listens',
      {
        onEvent: (event) => {
          if (event.type === 'chunk') throwing();
        },
      },
      'INTERNAL',
      'of the caller',
    ],
  ])('%s', async ([, options, code, message]) => {
    const { messages, interrupts } = await waiting(1);
    const scripted = model();
    const resume = [answers.restart(interrupts[0]!)];
    const error = await failure({ model: scripted, tools: [pay], messages, resume, ...options });
    expect([error.code, error.message]).toEqual([code, message]);
    expect(error.hint).toBe(
      'continue with `detail.messages`, which include the calls that ran; the messages you passed do not',
    );
    const left = error.detail?.messages ?? [];
    expect(said(left).at(-1)).toEqual(['tool', '…']);
    await generate({ model: scriptedModel(['x', 'ok']), tools: [pay], messages: left });
    expect(ran).toEqual([{ amount: 1 }]);
  });
});
