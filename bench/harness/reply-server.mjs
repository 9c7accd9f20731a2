// A provider on this machine that says `Hello.` at once, to the Messages API and to the Responses API.
import { createServer } from 'node:http';

import { event, message } from './messages-wire.mjs';

const lines = (events) => events.map(([type, data]) => event(type, data)).join('');

const messages = lines([
  ['message_start', { message }],
  ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello.' } }],
  ['content_block_stop', { index: 0 }],
  ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }],
  ['message_stop', {}],
]);

const item = {
  id: 'item_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello.' }],
};
const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const responses = lines([
  ['response.created', { response: { id: 'resp_1' } }],
  ['response.output_item.done', { output_index: 0, item }],
  ['response.completed', { response: { id: 'resp_1', output: [item], usage } }],
]);

/** Begins to listen on a free port. @returns its address, and what ends it */
export async function replyServer() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const body = request.url.includes('/responses') ? responses : messages;
      const isAsked = request.method === 'POST';
      response.writeHead(isAsked ? 200 : 404, { 'content-type': 'text/event-stream' });
      response.end(isAsked ? body : '');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
