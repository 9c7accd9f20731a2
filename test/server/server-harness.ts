import * as z from 'zod';

import type { SessionStore } from '../../src/index.js';
import { defineInterrupt, defineTool, openChat, openStore } from '../../src/index.js';
import type { Access, HitlServer, ServerOptions } from '../../src/server/index.js';
import { createServer, loopbackHosts } from '../../src/server/index.js';
import { scriptedModel } from '../../src/testing/index.js';

export const PORT = 4680;
export const HOST = `127.0.0.1:${PORT}`;
/** The host of pages and cookies; programs call at `HOST`. */
export const HOME = `own.localhost:${PORT}`;
export const TOKEN = 'the-token-of-the-link-0123456789abcdef';

const transfer = defineTool(
  {
    name: 'transfer',
    description: 'Transfers money.',
    input: z.object({ to: z.string(), amount: z.number(), note: z.string().optional() }),
    needsApproval: true,
  },
  ({ to, amount }) => `sent ${amount} to ${to}`,
);
const pick = defineInterrupt({
  name: 'pick',
  description: 'Asks which one.',
  input: z.object({ question: z.string() }),
  output: z.enum(['left', 'right']),
});

/** The calls that ask, as a model makes them. */
export const TRANSFER = { name: 'transfer', input: { to: 'ABC123', amount: 200 } };
export const PICK = { name: 'pick', input: { question: 'Which way?' } };

/** A session of this id in which a question waits; nobody has it. */
export async function asking(
  store: SessionStore,
  id: string,
  call: { name: string; input: object } = TRANSFER,
) {
  const model = scriptedModel([{ tools: [call as typeof TRANSFER] }, 'Done.']);
  const chat = await openChat({ store, id, model, tools: [transfer, pick], title: `About ${id}` });
  await chat.say('Do it');
  const [question] = chat.open;
  await chat.close();
  if (question === undefined) throw new Error('nothing was asked');
  return { question, session: chat.id, place: `/sessions/${id}/questions/${question.id}` };
}

export interface Opened {
  readonly store: SessionStore;
  readonly server: HitlServer;
  /** Asks the server as a program with the token does. */
  readonly api: (path: string, init?: RequestInit & { readonly address?: string }) => Promise<Response>;
  /** A browser: it has a cookie, and says where a request comes from. */
  readonly browser: () => Promise<Browser>;
}

export interface Browser {
  readonly cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends the form of a page, with the hidden fields of the one to this address and way. */
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

export async function openServer(options: Partial<ServerOptions> = {}): Promise<Opened> {
  const store = options.store ?? openStore();
  const access: Access = options.access ?? { type: 'link', token: TOKEN, name: 'ann' };
  const hosts = loopbackHosts(PORT);
  const server = await createServer({
    ...{ store, access, hosts, port: PORT, origin: `http://${HOME}` },
    ...options,
  });
  const ask = (path: string, { address = '127.0.0.1', ...init }: RequestInit & { address?: string } = {}) => {
    const given = Object.entries((init.headers ?? {}) as Record<string, string>);
    const headers = new Headers(given.filter(([, value]) => value !== ''));
    if (!headers.has('host')) headers.set('host', HOST);
    return server.fetch(new Request(`http://${HOST}${path}`, { ...init, headers }), address);
  };
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const api: Opened['api'] = (path, init) =>
    ask(path, {
      ...init,
      headers: {
        ...bearer,
        ...(init?.body !== undefined && { 'content-type': 'application/json' }),
        ...(init?.headers as Record<string, string>),
      },
    });
  const browser = async (): Promise<Browser> => {
    const entered = await ask(`/?token=${TOKEN}`, { headers: { host: HOME } });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const get: Browser['get'] = (path, headers = {}) =>
      ask(path, { headers: { host: HOME, cookie, 'sec-fetch-site': 'same-origin', ...headers } });
    return {
      cookie,
      get,
      async send(path, fields, headers = {}) {
        const page = await (await get(path.replace(/\/(?:answer|preview)$/u, ''))).text();
        const hidden = { form: valueIn(page, 'form'), digest: valueIn(page, 'digest') };
        return ask(path, {
          method: 'POST',
          body: new URLSearchParams({ ...hidden, ...fields }),
          headers: { host: HOME, cookie, 'sec-fetch-site': 'same-origin', ...headers },
        });
      },
    };
  };
  return { store, server, api, browser };
}

/** The value of the first hidden field of a name. */
export function valueIn(page: string, name: string): string {
  return new RegExp(`name="${name}"\\s+value="([^"]*)"`, 'u').exec(page)?.[1] ?? '';
}
