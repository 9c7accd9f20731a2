import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import * as z from 'zod';

import type { LiveEvent } from '../../src/index.js';
import { defineTool } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A tool that needs an approval. */
export const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => `paid ${amount}`,
);
/** A model that wants to pay once. */
export const asks = () => scriptedModel([{ tools: [{ name: 'pay', input: { amount: 5 } }] }, 'It is paid.']);

/** All events, when the last one was told. */
export async function told(events: AsyncIterable<LiveEvent>): Promise<readonly LiveEvent[]> {
  const all: LiveEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** A server on a free port, for as long as the work takes. */
export async function serving(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
