import { writeFileSync } from 'node:fs';

import { Agent, run, RunState, setTracingDisabled, tool, Usage } from '@openai/agents';
import * as z from 'zod';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

setTracingDisabled(true);

function model(calls) {
  let turn = 0;
  return {
    async getResponse() {
      turn += 1;
      const requests = calls(turn);
      const text = { type: 'output_text', text: 'Done.' };
      const output =
        requests.length === 0
          ? [{ type: 'message', id: `m_${turn}`, role: 'assistant', status: 'completed', content: [text] }]
          : requests.map(({ id, name, input }) => ({
              type: 'function_call',
              id: `f_${id}`,
              callId: id,
              name,
              status: 'completed',
              arguments: JSON.stringify(input),
            }));
      return { usage: new Usage({ inputTokens: 10, outputTokens: 5, totalTokens: 15 }), output };
    },
    getStreamedResponse() {
      throw new Error('not here');
    },
  };
}

export async function turns(count) {
  const add = tool({
    name: 'add',
    description: SCHEMA_TEXT,
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  });
  const calls = (n) => (n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }]);
  const agent = new Agent({ name: 'bench', model: model(calls), tools: [add] });
  const { finalOutput } = await run(agent, QUESTION, { maxTurns: count + 2 });
  if (finalOutput !== 'Done.') throw new Error(String(finalOutput));
}

/** It knows approvals only: the answer comes from the tool that was approved. */
export async function cycles(count, { answer, file, clock }) {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ n: z.number() }),
    needsApproval: true,
    execute: async () => answer,
  });
  const agent = new Agent({
    name: 'bench',
    model: model((n) => [{ id: `call_${n}`, name: 'pay', input: { n } }]),
    tools: [pay],
  });
  const options = { maxTurns: count + 10 };
  let result = await run(agent, QUESTION, options);
  for (let n = 1; n <= count; n += 1) {
    clock.begin();
    let { state } = result;
    if (file !== undefined) {
      const text = state.toString();
      writeFileSync(file, text);
      state = await RunState.fromString(agent, text);
    }
    const [interruption] = state.getInterruptions();
    state.approve(interruption);
    result = await run(agent, state, options);
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const slow = tool({
    name: 'slow',
    description: 'Waits.',
    parameters: z.object({ n: z.number() }),
    execute: wait,
  });
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  const agent = new Agent({ name: 'bench', model: model((n) => (n > 1 ? [] : requests)), tools: [slow] });
  await run(agent, QUESTION);
}
