// The provider package of OpenAI as it is shipped, with its wire played.
import { expect, test } from 'vitest';
import * as z from 'zod';

import { isInstalled } from '../../scripts/tools.mjs';
import { fromAiSdk } from '../../src/library/ai-sdk.js';
import { answers, defineTool, generate } from '../../src/index.js';

const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => ({ paid: amount }),
);
const square = defineTool({ name: 'square', description: 'Squares.', input: z.number() }, (n) => n * n);

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm1',
  choices: [{ index: 0, delta, finish_reason }],
});
const used = (prompt_tokens: number, completion_tokens: number) => ({
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});
const calls = [
  chunk({ role: 'assistant', content: null, tool_calls: [toolCall(0, 'call_1', 'pay', '')] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"amount":5}' } }] }),
  chunk({ tool_calls: [toolCall(1, 'call_2', 'square', '{"value":3}')] }),
  chunk({}, 'tool_calls'),
  used(9, 4),
];
const words = [
  chunk({ role: 'assistant', content: 'do' }),
  chunk({ content: 'ne' }),
  chunk({}, 'stop'),
  used(20, 2),
];

function toolCall(index: number, id: string, name: string, given: string): object {
  return { index, id, type: 'function', function: { name, arguments: given } };
}

test.skipIf(!isInstalled('peers'))(
  'a model of OpenAI asks for tools in parallel, one is approved with another input, and it is told both results',
  async () => {
    const { createOpenAI } = await import('../../tools/peers/openai.mjs');
    const replies = [calls, words];
    const bodies: { messages: unknown[] }[] = [];
    const wire: typeof fetch = (_url, init) => {
      bodies.push(JSON.parse(typeof init?.body === 'string' ? init.body : '') as { messages: unknown[] });
      const lines = [...(replies.shift() ?? []).map((event) => JSON.stringify(event)), '[DONE]'];
      const body = lines.map((line) => `data: ${line}\n\n`).join('');
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const model = fromAiSdk(createOpenAI({ apiKey: 'k', fetch: wire }).chat('m1'));
    const request = { model, tools: [pay, square], system: 'be kind' };
    const asked = await generate({ ...request, prompt: 'go' });
    expect([asked.finishReason, asked.usage.inputTokens, asked.interrupts.map(({ kind }) => kind)]).toEqual([
      'interrupted',
      9,
      ['confirmation'],
    ]);
    const resume = [answers.restart(asked.interrupts[0]!, { input: { amount: 6 } })];
    const told: string[] = [];
    const done = await generate({
      ...request,
      messages: asked.messages,
      resume,
      onEvent: (event) => {
        if (event.type === 'text-delta') told.push(event.text);
      },
    });
    expect([done.text, done.finishReason, told]).toEqual(['done', 'stop', ['do', 'ne']]);
    expect(bodies[1]?.messages).toEqual([
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"amount":6}' } },
          { id: 'call_2', type: 'function', function: { name: 'square', arguments: '{"value":3}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"paid":6}' },
      { role: 'tool', tool_call_id: 'call_2', content: '9' },
    ]);
  },
);
