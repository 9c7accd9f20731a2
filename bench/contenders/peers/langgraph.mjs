import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import * as z from 'zod';

import { inputOf, QUESTION, SCHEMA_TEXT } from '../conversation.mjs';

/** The usual graph: a model node and a tool node in a circle. */
function agent(calls, tools, checkpointer) {
  let turn = 0;
  const ask = () => {
    turn += 1;
    const requests = calls(turn);
    const toolCalls = requests.map(({ id, name, input }) => ({ id, name, args: input, type: 'tool_call' }));
    const content = requests.length === 0 ? 'Done.' : '';
    return { messages: [new AIMessage({ id: `reply_${turn}`, content, tool_calls: toolCalls })] };
  };
  const next = ({ messages }) => ((messages.at(-1).tool_calls?.length ?? 0) > 0 ? 'tools' : END);
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ask)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', next, ['tools', END])
    .addEdge('tools', 'model')
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

const start = { messages: [new HumanMessage({ id: 'user_1', content: QUESTION })] };

async function turnsWith(count, checkpointer) {
  const add = tool(async ({ a, b }) => String(a + b), {
    name: 'add',
    description: SCHEMA_TEXT,
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const app = agent(
    (n) => (n > count ? [] : [{ id: `call_${n}`, name: 'add', input: inputOf(n) }]),
    [add],
    checkpointer,
  );
  const config = { recursionLimit: count * 2 + 10, configurable: { thread_id: '1' } };
  const { messages } = await app.invoke(start, config);
  if (messages.length !== count * 2 + 2) throw new Error(`${messages.length} messages`);
}

export async function turns(count) {
  await turnsWith(count, undefined);
}

export async function turnsSaved(count) {
  await turnsWith(count, new MemorySaver());
}

export async function cycles(count, { answer, file, clock }) {
  const ask = tool(async ({ n }) => interrupt({ n }), {
    name: 'ask',
    description: 'Asks.',
    schema: z.object({ n: z.number() }),
  });
  const saver = file === undefined ? new MemorySaver() : SqliteSaver.fromConnString(file);
  const app = agent((n) => [{ id: `call_${n}`, name: 'ask', input: { n } }], [ask], saver);
  const config = { recursionLimit: 100, configurable: { thread_id: '1' } };
  let state = await app.invoke(start, config);
  for (let n = 1; n <= count; n += 1) {
    if (state.__interrupt__?.length !== 1) throw new Error('no interrupt');
    clock.begin();
    state = await app.invoke(new Command({ resume: answer }), config);
    clock.end();
  }
}

export async function parallel(tools, wait) {
  const slow = tool(wait, { name: 'slow', description: 'Waits.', schema: z.object({ n: z.number() }) });
  const requests = Array.from({ length: tools }, (_, n) => ({ id: `call_${n}`, name: 'slow', input: { n } }));
  await agent((n) => (n > 1 ? [] : requests), [slow]).invoke(start, { recursionLimit: 10 });
}
