import { writeFileSync } from 'node:fs';

import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as z from 'zod';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function reply(content, unified) {
  return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
}

/** A model that requests tool calls; `calls(turn)` is what a turn asks for, an empty list ends. */
function model(calls) {
  let turn = 0;
  return new MockLanguageModelV4({
    // Not the mock's own way of remembering every request: that is not what the SDK costs.
    doGenerate: async () => {
      turn += 1;
      const requests = calls(turn);
      if (requests.length === 0) return reply([{ type: 'text', text: 'Done.' }], 'stop');
      const content = requests.map(({ id, name, input }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(input),
      }));
      return reply(content, 'tool-calls');
    },
  });
}

/** The mock keeps every request that it was sent; nobody needs them here. */
function forgetful(mock) {
  mock.doGenerateCalls.push = () => 0;
  return mock;
}

export async function turns(count) {
  const add = tool({
    description: SCHEMA_TEXT,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  });
  const { steps } = await generateText({
    model: forgetful(model((n) => (n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }]))),
    tools: { add },
    prompt: QUESTION,
    stopWhen: stepCountIs(count + 1),
  });
  if (steps.length !== count + 1) throw new Error(`${steps.length} steps`);
}

export async function cycles(count, { answer, file, clock }) {
  const ask = tool({ description: 'Asks.', inputSchema: z.object({ n: z.number() }) });
  const asked = forgetful(model((n) => [{ id: `call_${n}`, name: 'ask', input: { n } }]));
  let messages = [{ role: 'user', content: QUESTION }];
  for (let n = 1; n <= count; n += 1) {
    clock.begin();
    const { response, toolCalls } = await generateText({ model: asked, tools: { ask }, messages });
    const [{ toolCallId, toolName }] = toolCalls;
    const said = [...messages, ...response.messages];
    if (file !== undefined) writeFileSync(file, JSON.stringify(said));
    messages = file === undefined ? said : JSON.parse(JSON.stringify(said));
    const output = { type: 'text', value: answer };
    messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    if (file !== undefined) writeFileSync(file, JSON.stringify(messages));
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const slow = tool({ description: 'Waits.', inputSchema: z.object({ n: z.number() }), execute: wait });
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  await generateText({
    model: forgetful(model((n) => (n > 1 ? [] : requests))),
    tools: { slow },
    prompt: QUESTION,
    stopWhen: stepCountIs(3),
  });
}
