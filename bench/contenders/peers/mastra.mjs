import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import * as z from 'zod';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model of the AI SDK's specification, which Mastra takes; it streams even where nobody watches. */
function model(calls) {
  let turn = 0;
  const reply = () => {
    turn += 1;
    const requests = calls(turn);
    const reason = requests.length === 0 ? 'stop' : 'tool-calls';
    const content =
      requests.length === 0
        ? [{ type: 'text', text: 'Done.' }]
        : requests.map(({ id, name, input }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(input),
          }));
    return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  };
  return {
    specificationVersion: 'v3',
    provider: 'mock',
    modelId: 'mock',
    supportedUrls: {},
    doGenerate: async () => reply(),
    doStream: async () => {
      const { content, finishReason } = reply();
      const parts = content.flatMap((part) =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' },
            ]
          : [part],
      );
      const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
      return { stream: ReadableStream.from(all) };
    },
  };
}

function agentOf(calls, tools, storage) {
  const agent = new Agent({ id: 'bench', name: 'bench', instructions: 'Add.', model: model(calls), tools });
  const mastra = new Mastra({ agents: { bench: agent }, storage, logger: false });
  return mastra.getAgent('bench');
}

export async function turns(count) {
  const add = createTool({
    id: 'add',
    description: SCHEMA_TEXT,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => ({ sum: a + b }),
  });
  const calls = (n) => (n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }]);
  const result = await agentOf(calls, { add }, new InMemoryStore()).generate(QUESTION, {
    maxSteps: count + 1,
  });
  if (result.steps.length !== count + 1) throw new Error(`${result.steps.length} steps ${result.error}`);
}

export async function cycles(count, { answer, file, clock }) {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({ n: z.number() }),
    suspendSchema: z.object({ n: z.number() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async ({ n }, { agent }) => {
      if (agent?.resumeData === undefined) return agent.suspend({ n });
      return { answer: agent.resumeData.answer };
    },
  });
  const storage =
    file === undefined ? new InMemoryStore() : new LibSQLStore({ id: 'bench', url: `file:${file}` });
  const agent = agentOf((n) => [{ id: `call_${n}`, name: 'ask', input: { n } }], { ask }, storage);
  const options = { maxSteps: count + 10 };
  let result = await agent.generate(QUESTION, options);
  for (let n = 1; n <= count; n += 1) {
    if (result.finishReason !== 'suspended') throw new Error(`${result.finishReason} ${result.error}`);
    clock.begin();
    result = await agent.resumeGenerate(
      { answer },
      { ...options, runId: result.runId, toolCallId: `call_${n}` },
    );
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const slow = createTool({
    id: 'slow',
    description: 'Waits.',
    inputSchema: z.object({ n: z.number() }),
    execute: async (input) => ({ text: await wait(input) }),
  });
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  const agent = agentOf((n) => (n > 1 ? [] : requests), { slow }, new InMemoryStore());
  await agent.generate(QUESTION, { maxSteps: 3 });
}
