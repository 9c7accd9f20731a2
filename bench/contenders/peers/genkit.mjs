import { writeFileSync } from 'node:fs';

import { genkit, z } from 'genkit/beta';
import { logger } from 'genkit/logging';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

logger.setLogLevel('error');

function world(calls) {
  const ai = genkit({});
  let turn = 0;
  const model = ai.defineModel({ name: 'mock', supports: { tools: true, multiturn: true } }, async () => {
    turn += 1;
    const requests = calls(turn);
    const content =
      requests.length === 0
        ? [{ text: 'Done.' }]
        : requests.map(({ id, name, input }) => ({ toolRequest: { ref: id, name, input } }));
    return {
      message: { role: 'model', content },
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
    };
  });
  return { ai, model };
}

export async function turns(count) {
  const { ai, model } = world((n) =>
    n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }],
  );
  const add = ai.defineTool(
    {
      name: 'add',
      description: SCHEMA_TEXT,
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.number(),
    },
    async ({ a, b }) => a + b,
  );
  const { messages } = await ai.generate({ model, tools: [add], prompt: QUESTION, maxTurns: count + 1 });
  if (messages.length !== count * 2 + 2) throw new Error(`${messages.length} messages`);
}

export async function cycles(count, { answer, file, clock }) {
  const { ai, model } = world((n) => [{ id: `call_${n}`, name: 'ask', input: { n } }]);
  const ask = ai.defineInterrupt({
    name: 'ask',
    description: 'Asks.',
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.string(),
  });
  let response = await ai.generate({ model, tools: [ask], prompt: QUESTION });
  for (let n = 1; n <= count; n += 1) {
    const [question] = response.interrupts;
    clock.begin();
    let { messages } = response;
    if (file !== undefined) {
      writeFileSync(file, JSON.stringify(messages));
      messages = JSON.parse(JSON.stringify(messages));
    }
    response = await ai.generate({
      model,
      tools: [ask],
      messages,
      resume: { respond: [ask.respond(question, answer)] },
    });
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  const { ai, model } = world((n) => (n > 1 ? [] : requests));
  const inputSchema = z.object({ n: z.number() });
  const slow = ai.defineTool(
    { name: 'slow', description: 'Waits.', inputSchema, outputSchema: z.string() },
    wait,
  );
  await ai.generate({ model, tools: [slow], prompt: QUESTION });
}
