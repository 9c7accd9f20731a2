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

/** Plays turns as the Responses API; a call names its tool in the namespace of its server, as Codex wants it. */
export async function playResponses(turns) {
  const results = [];
  const http = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { input } = JSON.parse(body);
    results.splice(0, Infinity, ...input.filter(({ type }) => type === 'function_call_output').map(outputOf));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const id = `r${results.length}`;
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const events = [
      { type: 'response.created', response: { id } },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: itemOf(turns[results.length] ?? turns.at(-1)),
      },
      { type: 'response.completed', response: { id, usage } },
    ];
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
  function itemOf({ tool, input, text }) {
    if (text !== undefined)
      return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
    const args = JSON.stringify(input);
    return {
      type: 'function_call',
      call_id: `c${results.length}`,
      namespace: 'mcp__hitl',
      name: tool,
      arguments: args,
    };
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

function outputOf({ output }) {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
