// A server of the Model Context Protocol with four tools about tickets; each sends a request to the address in its argument.
/* global fetch */
import { createInterface } from 'node:readline';

const text = { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } };
const tool = (name, description, readOnlyHint) => ({
  ...{ name, description, inputSchema: text, annotations: { readOnlyHint } },
});
const TOOLS = [
  tool('search', 'Searches tickets.', true),
  tool('read', 'Reads a ticket.', true),
  tool('comment', 'Comments on a ticket.', false),
  tool('close', 'Closes a ticket.', false),
];

async function call(name) {
  const answer = await fetch(`${process.argv[2]}/tickets/${name}`, { method: 'POST' });
  return { content: [{ type: 'text', text: await answer.text() }] };
}

async function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'tickets', version: '1' },
      };
    case 'tools/list':
      return { tools: TOOLS };
    case 'tools/call':
      return call(params.name);
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  const result = await answer(message);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`);
}
