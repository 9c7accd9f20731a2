// What people and programs do at a server over HTTP: they begin, look, listen, answer, and go.
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as passing } from 'node:timers/promises';

import type { JsonObject, Resolution } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';

/** Whoever waits for something of a session hears of it within this time. */
const PATIENCE_MS = 120_000;
const AGAIN_MS = 500;
const TRIES = 60;

/** A server, and who comes. */
export interface Door {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function begun(door: Door, path: string, asking: Asking): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body } = asking;
  const sent = request({
    ...{ hostname: '127.0.0.1', port: door.port, path, method, agent: false },
    headers: { ...door.headers, ...headers },
  });
  sent.on('error', () => undefined); // also of one that is broken off
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
}

/** Asks once, and again while the server says that it may be tried again. @throws Error for what is refused */
export async function ask(door: Door, path: string, asking: Asking = {}): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const response = await begun(door, path, asking);
    const said = await text(response);
    const { statusCode = 0 } = response;
    if (statusCode < 400) return said;
    if (statusCode !== 503 || tries === TRIES)
      throw new Error(`${asking.method ?? 'GET'} ${path}: ${statusCode} ${said.slice(0, 300)}`);
    await passing(AGAIN_MS);
  }
}

/** Posts JSON. @returns what came back */
export async function post(door: Door, path: string, given: unknown): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const said: unknown = JSON.parse(
    await ask(door, path, { method: 'POST', headers, body: JSON.stringify(given) }),
  );
  if (!isJsonObject(said)) throw new Error(`${path}: no object`);
  return said;
}

/** Signs in as a browser does. @returns the same server, for its cookie */
export async function signedIn(port: number, origin: string, token: string): Promise<Door> {
  const headers = { host: new URL(origin).host, 'sec-fetch-site': 'same-origin' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ token }).toString();
  const response = await begun({ port, headers }, '/sign-in', { method: 'POST', headers: form, body });
  response.resume();
  const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  if (cookie === '') throw new Error(`not signed in: ${response.statusCode ?? 0}`);
  return { port, headers: { ...headers, cookie } };
}

/** Listens for a while to all that happens, and breaks off in the middle. */
export async function overhear(door: Door, ms: number): Promise<void> {
  const response = await begun(door, '/v1/stream', {});
  if (response.statusCode !== 200) throw new Error(`stream: ${response.statusCode ?? 0}`);
  response.resume().on('error', () => undefined); // it is broken off
  await passing(ms);
  response.destroy();
}

/** Follows a session until it has heard what it wants, and breaks off. @returns the events, and the number of the last */
export async function follow(
  door: Door,
  session: string,
  isEnough: (events: readonly JsonObject[]) => boolean,
  after = 0,
): Promise<{ readonly events: readonly JsonObject[]; readonly last: number }> {
  const response = await begun(door, `/v1/sessions/${session}/events?after=${after}`, {});
  if (response.statusCode !== 200) throw new Error(`events of ${session}: ${response.statusCode ?? 0}`);
  const late = setTimeout(() => {
    response.destroy();
  }, PATIENCE_MS);
  const events: JsonObject[] = [];
  let last = after;
  let rest = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const parts = `${rest}${String(chunk)}`.split('\n\n');
      rest = parts.pop() ?? '';
      events.push(...parts.flatMap(eventIn));
      last = Number(events.at(-1)?.['seq'] ?? last);
      if (isEnough(events)) return { events, last };
    }
  } finally {
    clearTimeout(late);
    response.destroy();
  }
  throw new Error(`session ${session}: its stream ended at event ${last}`);
}

/** The event that a message of a stream has; a beat has none. */
function eventIn(message: string): readonly JsonObject[] {
  const event: unknown = JSON.parse(/^data: (.*)$/mu.exec(message)?.[1] ?? 'null');
  return isJsonObject(event) ? [event] : [];
}

/** Answers a question of a session, as an event tells of it. */
export async function answer(
  door: Door,
  session: string,
  event: JsonObject,
  resolution: Resolution,
): Promise<void> {
  const { interrupt } = event;
  if (!isJsonObject(interrupt)) throw new Error('no question');
  const { id, digest } = interrupt;
  await post(door, `/v1/sessions/${session}/answers`, { interrupt: id, digest, answer: resolution });
}
