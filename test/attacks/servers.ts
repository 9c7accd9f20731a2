// Servers on loopback that stand in for the ones the program talks to.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Server } from 'node:http';

/** A request as it came over the wire. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** What a server does with a request; nothing that it does may throw. */
export type Respond = (received: Received, response: ServerResponse) => void;

/** A server of which every request is kept. */
export class Loopback {
  readonly received: Received[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(respond: Respond) {
    this.#server = createServer((request, response) => {
      void this.#take(request, response, respond);
    });
    this.#server.on('clientError', (_error, socket) => {
      socket.destroy();
    });
  }

  /** Begins to listen on a free port. */
  static async start(respond: Respond, host = '127.0.0.1'): Promise<Loopback> {
    const loopback = new Loopback(respond);
    loopback.#server.listen(0, host);
    await once(loopback.#server, 'listening');
    const address = loopback.#server.address();
    loopback.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return loopback;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse, respond: Respond): Promise<void> {
    response.on('error', () => undefined); // the program may leave before it has read everything
    let body = '';
    request.setEncoding('utf8');
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return; // gone
    }
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    this.received.push(received);
    respond(received, response);
  }
}

/** One event of a stream as the Messages API writes it. */
function eventText(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** What a reply of the Messages API holds beside its blocks. */
export interface ReplyOptions {
  readonly model?: string;
  readonly stopReason?: string;
  readonly usage?: object;
}

const USAGE = { input_tokens: 60_000, output_tokens: 1_500 };

/** Opens the stream of a reply. */
export function openReply(response: ServerResponse, { model = 'm', usage = USAGE }: ReplyOptions = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  response.write(eventText('message_start', { message }));
}

/** Writes one block of a reply, whole. */
export function writeBlock(response: ServerResponse, index: number, block: object): void {
  response.write(eventText('content_block_start', { index, content_block: block }));
  response.write(eventText('content_block_stop', { index }));
}

/** Writes a block of text. */
export function writeText(response: ServerResponse, index: number, text: string): void {
  response.write(eventText('content_block_start', { index, content_block: { type: 'text', text: '' } }));
  response.write(eventText('content_block_delta', { index, delta: { type: 'text_delta', text } }));
  response.write(eventText('content_block_stop', { index }));
}

/** Writes a call of a tool. */
export function writeCall(
  response: ServerResponse,
  index: number,
  { name, input }: { name: string; input: unknown },
): void {
  const block = { type: 'tool_use', id: `toolu_${String(index)}`, name, input: {} };
  response.write(eventText('content_block_start', { index, content_block: block }));
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  response.write(eventText('content_block_delta', { index, delta }));
  response.write(eventText('content_block_stop', { index }));
}

/** Ends a reply. */
export function endReply(
  response: ServerResponse,
  { stopReason = 'end_turn', usage = USAGE }: ReplyOptions = {},
): void {
  response.write(
    eventText('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage }),
  );
  response.end(eventText('message_stop', {}));
}

/** A whole reply that only says something. */
export function replyText(response: ServerResponse, text: string, options: ReplyOptions = {}): void {
  openReply(response, options);
  writeText(response, 0, text);
  endReply(response, options);
}
