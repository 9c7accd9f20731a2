// Servers of this machine that play a model: each request is answered with the turn that its results lead to.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Plays turns as the Messages API, by a server that others wrote; a call names its tool as Claude Code does, ours by default. */
export async function playMessages(turns, prefix = 'mcp__hitl__') {
  const { MessagesServer } = await import('../../tools/peers/messages-server.mjs');
  const results = [];
  const server = new MessagesServer({ port: 0, logLevel: 'silent' });
  server.addFixture({
    match: { predicate: () => true },
    response({ messages }) {
      results.splice(
        0,
        Infinity,
        ...messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
      );
      const { tool, input, text } = turns[results.length] ?? turns.at(-1);
      if (text !== undefined) return { content: text };
      return { toolCalls: [{ name: `${prefix}${tool}`, arguments: JSON.stringify(input) }] };
    },
  });
  await server.start();
  return { url: server.url, results, stop: () => server.stop() };
}

/** Plays turns as the Responses API; a call names its tool in the namespace of its server, as Codex wants it, or has none. */
export async function playResponses(turns, namespace = 'mcp__hitl') {
  const results = [];
  const http = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { input } = JSON.parse(body);
    const isTask = !TITLE.test(body);
    if (isTask)
      results.splice(
        0,
        Infinity,
        ...input.filter(({ type }) => type === 'function_call_output').map(outputOf),
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const id = `r${results.length}`;
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const items = isTask ? itemsOf(turns[results.length] ?? turns.at(-1)) : [saying('Work')];
    const events = [
      { type: 'response.created', response: { id } },
      ...items.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
      { type: 'response.completed', response: { id, usage } },
    ];
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
  function itemsOf({ text, calls, ...call }) {
    if (text !== undefined) return [saying(text)];
    return (calls ?? [call]).map(({ tool, input }, at) => ({
      type: 'function_call',
      call_id: `c${results.length + at}`,
      ...(namespace !== '' && { namespace }),
      name: tool,
      arguments: JSON.stringify(input),
    }));
  }
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${http.address().port}`,
    results,
    stop() {
      http.closeAllConnections();
      http.close();
    },
  };
}

/** What Codex asks for beside the work. */
const TITLE = /Generate a concise, single-line task title/u;

function saying(text) {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function outputOf({ output }) {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
