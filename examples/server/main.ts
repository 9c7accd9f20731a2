// The server, and a client of it.
import { defineTool } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import { readEvents } from 'hitl/web';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

import { chatServer } from './server.js';

const transfer = defineTool(
  {
    name: 'transfer',
    description: 'Transfers money.',
    input: z.object({ amount: z.number() }),
    needsApproval: true,
  },
  ({ amount }) => `sent ${amount}`,
);
const server = chatServer({
  store: await mkdtemp(path.join(tmpdir(), 'hitl-server-')),
  model: scriptedModel([{ tools: [{ name: 'transfer', input: { amount: 200 } }] }, 'It is sent.']),
  tools: [transfer],
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const url = `http://127.0.0.1:${address.port}/chats`;

const post = (where: string, body: unknown) =>
  fetch(where, { method: 'POST', headers: { 'x-user': 'ada' }, body: JSON.stringify(body) });

/** Reads a run to its end, and gives what waits then. */
async function follow(response: Response) {
  for await (const event of readEvents(response)) {
    if (event.type !== 'rested') continue;
    console.log(event.result.type, event.result.text);
    if (event.result.type === 'waiting') return event.result.open;
  }
  return [];
}

const said = await post(url, { text: 'Transfer 200' });
const chat = `${url}/${said.headers.get('x-chat') ?? ''}`;
const [question] = await follow(said);
const resolution = { action: 'restart', input: { amount: 150 } };

console.log((await post(`${chat}/answers`, { id: question?.id, resolution })).status);
console.log((await post(`${chat}/answers`, { ...question, resolution: { action: 'skip' } })).status);
console.log((await post(chat, { text: 'Well?' })).status);
await follow(await post(`${chat}/answers`, { id: question?.id, digest: question?.digest, resolution }));
console.log(
  (await post(`${chat}/answers`, { id: question?.id, digest: question?.digest, resolution })).status,
);
await follow(await fetch(`${chat}/events?after=3`));
server.closeAllConnections();
server.close();
