// The mock models that the AI SDK has for tests, of both versions.
import { expect, test } from 'vitest';
import * as z from 'zod';

import { isInstalled } from '../../../scripts/tools.mjs';
import { answers, defineTool, generate } from '../../../src/index.js';
import type { AiSdkModel } from '../../../src/library/ai-sdk.js';
import { fromAiSdk } from '../../../src/library/ai-sdk.js';
import { fakeClock } from '../../../src/testing/index.js';
import type { Loose } from './wire.js';

interface MockModel extends AiSdkModel {
  readonly doStreamCalls: readonly Loose[];
}

const finish = (unified: string) => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: { inputTokens: { total: 9 }, outputTokens: { total: 4 } },
});
const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => ({ paid: amount }),
);

test.skipIf(!isInstalled()).for([
  ['ai-6/test', 'MockLanguageModelV3'],
  ['ai/test', 'MockLanguageModelV4'],
] as const)('the mock model of %s streams, asks, is approved and told', async ([name, mock]) => {
  const { load } = await import('../../../tools/providers/index.mjs');
  const made = (await load(name)) as Record<string, new (given: object) => MockModel> & {
    simulateReadableStream(given: { readonly chunks: readonly object[] }): ReadableStream;
  };
  const replies = [
    [
      { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: '{"amount":5}' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'pay', input: '{"amount":7}' },
      finish('tool-calls'),
    ],
    [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'pa' },
      { type: 'text-delta', id: '1', delta: 'id' },
      { type: 'text-end', id: '1' },
      finish('stop'),
    ],
  ];
  const played = new made[mock]!({
    doStream: () =>
      Promise.resolve({ stream: made.simulateReadableStream({ chunks: replies.shift() ?? [] }) }),
  });
  const request = { model: fromAiSdk(played, { clock: fakeClock({ auto: true }) }), tools: [pay] };
  const asked = await generate({ ...request, prompt: 'go' });
  const resume = asked.interrupts.map((one) => answers.restart(one));
  const done = await generate({ ...request, messages: asked.messages, resume });
  expect([done.text, done.usage.inputTokens]).toEqual(['paid', 9]);
  expect(played.doStreamCalls[1].prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      { toolCallId: 'a', output: { type: 'json', value: { paid: 5 } } },
      { toolCallId: 'b', output: { type: 'json', value: { paid: 7 } } },
    ],
  });
});
