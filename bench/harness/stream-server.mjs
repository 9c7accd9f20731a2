// A server that speaks the Messages API and streams at full speed what its URL asks for:
// /text/100000 sends so many text deltas, /input/200000 a tool input of so many characters in pieces of 20.
import { createServer } from 'node:http';

import { event, message } from './messages-wire.mjs';

function* deltas(kind, size) {
  if (kind === 'text') {
    const piece = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'word ' } });
    for (let n = 0; n < size; n += 1) yield piece;
    return;
  }
  const value = JSON.stringify({ content: 'x'.repeat(size) });
  for (let at = 0; at < value.length; at += 20) {
    const partial = value.slice(at, at + 20);
    yield event('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: partial },
    });
  }
}

function bodyOf(kind, size) {
  const block =
    kind === 'text'
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} };
  const pieces = [
    event('message_start', { message }),
    event('content_block_start', { index: 0, content_block: block }),
    ...deltas(kind, size),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: kind === 'text' ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: size },
    }),
    event('message_stop', {}),
  ];
  return Buffer.from(pieces.join(''));
}

const bodies = new Map();
const server = createServer((request, response) => {
  const [, kind, size] = request.url.split('/');
  const key = `${kind} ${size}`;
  const body = bodies.get(key) ?? bodyOf(kind, Number(size));
  bodies.set(key, body);
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));
