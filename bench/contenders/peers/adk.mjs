import {
  BaseLlm,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  LongRunningFunctionTool,
  setLogLevel,
} from '@google/adk';
import * as z from 'zod';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

setLogLevel?.(3);

class Mock extends BaseLlm {
  #calls;
  #turn = 0;

  constructor(calls) {
    super({ model: 'mock' });
    this.#calls = calls;
  }

  async *generateContentAsync() {
    this.#turn += 1;
    const requests = this.#calls(this.#turn);
    const parts =
      requests.length === 0
        ? [{ text: 'Done.' }]
        : requests.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
    yield { content: { role: 'model', parts }, partial: false, turnComplete: true };
  }

  async connect() {
    throw new Error('not here');
  }
}

async function begin(calls, tools, maxLlmCalls) {
  const agent = new LlmAgent({ name: 'bench', model: new Mock(calls), tools });
  const runner = new InMemoryRunner({ agent, appName: 'bench' });
  const session = await runner.sessionService.createSession({ appName: 'bench', userId: 'u' });
  return async function say(parts) {
    const newMessage = { role: 'user', parts };
    const runConfig = { maxLlmCalls };
    const events = [];
    for await (const event of runner.runAsync({
      userId: 'u',
      sessionId: session.id,
      newMessage,
      runConfig,
    })) {
      if (event.errorMessage !== undefined) throw new Error(event.errorMessage);
      events.push(event);
    }
    return events;
  };
}

export async function turns(count) {
  const add = new FunctionTool({
    name: 'add',
    description: SCHEMA_TEXT,
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => ({ sum: a + b }),
  });
  const calls = (n) => (n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }]);
  const say = await begin(calls, [add], count + 10);
  const events = await say([{ text: QUESTION }]);
  if (events.length !== count * 2 + 1) throw new Error(`${events.length} events`);
}

export async function cycles(count, { answer, clock }) {
  const ask = new LongRunningFunctionTool({
    name: 'ask',
    description: 'Asks.',
    parameters: z.object({ n: z.number() }),
    execute: async () => undefined,
  });
  const say = await begin((n) => [{ id: `call_${n}`, name: 'ask', input: { n } }], [ask], count + 10);
  await say([{ text: QUESTION }]);
  for (let n = 1; n <= count; n += 1) {
    clock.begin();
    const events = await say([{ functionResponse: { id: `call_${n}`, name: 'ask', response: { answer } } }]);
    if (
      !events.some(({ content }) =>
        content?.parts?.some(({ functionCall }) => functionCall?.id === `call_${n + 1}`),
      )
    ) {
      throw new Error(`no question ${n + 1}`);
    }
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const slow = new FunctionTool({
    name: 'slow',
    description: 'Waits.',
    parameters: z.object({ n: z.number() }),
    execute: async (input) => ({ text: await wait(input) }),
  });
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  const say = await begin((n) => (n > 1 ? [] : requests), [slow], 10);
  await say([{ text: QUESTION }]);
}
