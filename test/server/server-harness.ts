import * as z from 'zod';

import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import type { AgentFingerprint, Interrupt, JsonObject, SessionEvent } from '../../src/core/index.js';
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

/** The text of a page, without its marks. */
export const wordsOf = (page: string): string =>
  page
    .replaceAll(/<script[^]*?<\/script>/gu, '')
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/gu, ' ');

/** The text of the content of a page. */
export const mainOf = (page: string): string => wordsOf(page.slice(page.indexOf('<main'))).trim();

const builtIn = (name: string) => ({
  ...{ name, description: name, inputSchema: { type: 'object' } },
  ...{ effect: 'once' as const, origin: 'built in', restartable: true },
});
export const CODER: AgentFingerprint = {
  ...{ model: 'demo-1', mode: 'accept-edits' as const },
  tools: [builtIn('edit_file'), builtIn('run_command')],
};

export function userSays(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text }] } };
}

/** A reply of the model; with calls, their turn is open. */
export function modelSays(
  text: string,
  ...calls: readonly { readonly ref: string; readonly name: string; readonly input: JsonObject }[]
): SessionEvent {
  const requests = calls.map(
    ({ ref, ...call }) => ({ type: 'tool-request', ref: toolRef(ref), ...call }) as const,
  );
  return {
    type: 'message-added',
    message: { role: 'model', content: [{ type: 'text', text }, ...requests] },
    end: calls.length > 0 ? 'tool-use' : 'stop',
  };
}

const DIFF = `--- a/src/cart.js
+++ b/src/cart.js
@@ -5,2 +5,1 @@
-  const gross = net * rate;
-  return round(gross);
+  return round(net);
`;

/** The question about an edit of a file, as the gate of the tool asks it. */
export function editAsked(
  ref: string,
  id: string,
  input: JsonObject = { path: 'src/cart.js', oldText: 'gross', newText: 'net' },
): Interrupt {
  const source = { type: 'tool', ref: toolRef(ref), name: 'edit_file', input, raisedBy: 'approval' } as const;
  const facts = { path: '/home/ann/shop/src/cart.js' };
  return makeInterrupt(
    { kind: 'confirmation', source, payload: { diff: DIFF, facts } },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: '2026-01-02T03:04:05.000Z' },
  );
}

/** A session of somebody who codes: an edit that was approved, tests that fail, and another edit that is asked about. */
export async function coding(store: SessionStore, id: string, init: { readonly title?: string } = {}) {
  const { input } = { input: { path: 'src/cart.js', oldText: 'gross', newText: 'net' } };
  const [first, second] = [editAsked('r1', 'i1'), editAsked('r3', 'i2')];
  const ran = {
    type: 'tool-started',
    attempt: 1,
    effect: 'once',
    startedAt: '2026-01-02T03:05:00.000Z',
  } as const;
  const command = { command: 'npm test' };
  const output = Array.from({ length: 5 }, (_, at) => `line ${at + 1}`).join('\n');
  const started = (ref: string, name: string, given: JsonObject): SessionEvent => ({
    ...{ ...ran, ref: toolRef(ref), name, input: given, idempotencyKey: ref },
  });
  const settled = (ref: string, result: JsonObject): SessionEvent => ({
    ...{ type: 'tool-settled', ref: toolRef(ref), outcome: { type: 'output', output: result } },
  });
  const session = await store.create({
    ...{ id: id as never, agent: CODER, cwd: '/home/ann/shop', title: 'Fix the rounding', ...init },
    events: [
      userSays('The totals are off'),
      modelSays('I **see**.', { ref: 'r1', name: 'edit_file', input }),
      { type: 'interrupt-raised', interrupt: first },
      {
        ...{
          type: 'interrupt-resolved',
          id: first.id,
          digest: first.digest,
          resolution: { action: 'restart' },
        },
        ...{ by: { type: 'person', name: 'ann', via: 'web' }, resolvedAt: '2026-01-02T03:04:30.000Z' },
      },
      started('r1', 'edit_file', input),
      settled('r1', { line: 5 }),
      modelSays('Now the tests.', { ref: 'r2', name: 'run_command', input: command }),
      started('r2', 'run_command', command),
      settled('r2', { exitCode: 1, output }),
      modelSays('One more.', { ref: 'r3', name: 'edit_file', input }),
      { type: 'interrupt-raised', interrupt: second },
    ],
  });
  const { version } = session;
  await session[Symbol.asyncDispose]();
  return { session: session.id, question: second, place: `/sessions/${id}/questions/i2`, version };
}
