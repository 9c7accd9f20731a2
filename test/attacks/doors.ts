// `hitl serve` of one attack: its link, a question that waits, and requests as nobody's browser makes them.
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { connect } from 'node:net';

import type { Process } from './process.js';
import { listAt, parsed, textAt } from './json.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request; the name of the host and the token are as they should be unless others are given. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const PATIENCE_MS = 15_000;
/** How long a server may run: as long as the longest attack on one. */
const SERVED_MS = 120_000;

/** A server on a free port of this machine. */
export class Door {
  readonly #world: World;
  readonly link: URL;

  readonly #started: Process | undefined;

  private constructor(world: World, link: string, started?: Process) {
    this.#world = world;
    this.#started = started;
    this.link = new URL(link);
  }

  /** @param ready what the server prints once it listens. */
  static async open(world: World, flags: readonly string[] = [], ready = '/?token='): Promise<Door> {
    const started = world.start(['serve', '--port', '0', ...flags], { limitMs: SERVED_MS });
    premise(await started.until(ready), `no server: ${started.stderr}`);
    return new Door(world, started.stdout.trim(), started);
  }

  /** A server that was started already, by its address. */
  static at(world: World, address: string): Door {
    return new Door(world, address);
  }

  /** Ends the server. */
  async stop(): Promise<void> {
    this.#started?.kill('SIGKILL');
    await this.#started?.ended;
  }

  /** The process of the server; 0 where it was started elsewhere. */
  get pid(): number {
    return this.#started?.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#started?.hasEnded === true;
  }

  get token(): string {
    return this.link.searchParams.get('token') ?? '';
  }

  /** Sends a request and waits for its answer; status 0 where the connection was ended without one. */
  async ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
    const { host, port } = this.link;
    const to = { hostname: '127.0.0.1', port, path, method, headers: { host, ...headers } };
    return new Promise((resolve) => {
      const sent = request({ ...to, agent: false, timeout: PATIENCE_MS }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          if (response.headers['content-type']?.startsWith('text/event-stream') === true) sent.destroy();
        });
        response.once('close', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        });
      });
      sent.once('socket', (socket) => {
        socket.once('error', () => undefined); // it may end before all was sent
      });
      sent.once('timeout', () => {
        sent.destroy();
      });
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '' });
      });
      sent.on('error', () => {
        resolve({ status: 0, headers: {}, body: '' });
      });
      sent.end(body);
    });
  }

  /** Sends a request as a program with the token. */
  async api(path: string, { headers, body, ...asked }: Asked = {}): Promise<Answered> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    return this.ask(path, {
      ...asked,
      headers: { authorization: `Bearer ${this.token}`, ...json, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Opens the link as a browser does, and gives its cookie. */
  async cookie(): Promise<string> {
    const { headers } = await this.ask(`/${this.link.search}`);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    premise(cookie !== '', 'the link signs nobody in');
    return cookie.split(';')[0] ?? '';
  }

  /** Writes bytes as they are, and gives the first line of what comes back; empty where nothing comes. */
  async raw(bytes: string): Promise<string> {
    const { hostname, port } = this.link;
    const socket = connect(Number(port), hostname);
    socket.setEncoding('utf8').setTimeout(PATIENCE_MS, () => {
      socket.destroy();
    });
    let text = '';
    socket.on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', () => undefined);
    socket.write(bytes);
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined); // the server hung up
    socket.destroy();
    return text.split('\r\n')[0] ?? '';
  }

  /** The number of decisions in the journals, and of payments. */
  get done(): { readonly decisions: number; readonly paid: number } {
    const sessions = this.#world.sessions();
    const decisions = sessions.flatMap((id) => this.#world.eventsOf(id, 'interrupt-resolved'));
    return { decisions: decisions.length, paid: ledgerOf(this.#world).length };
  }
}

/** A question that waits. */
export interface Waiting {
  readonly session: string;
  readonly interrupt: string;
  readonly digest: string;
}

/** A session that waits for a person who lets it pay. */
export async function payingSession(world: World, to = 'Bob'): Promise<string> {
  const module = ledgerModule(world, PAY);
  return world.chat(world.calling('pay', { to, amount: 5 }), '-t', module);
}

/** The questions as the server lists them. */
export async function waitingAt(door: Door): Promise<readonly Waiting[]> {
  const { body } = await door.api('/v1/waiting');
  const listed = listAt(parsed(body), 'items');
  premise(textAt(listed[0], 'interrupt', 'digest') !== '', `nothing waits: ${body}`);
  return listed.map((one) => ({
    session: textAt(one, 'session'),
    interrupt: textAt(one, 'interrupt', 'id'),
    digest: textAt(one, 'interrupt', 'digest'),
  }));
}

/** One request that must not get through, and the statuses that it may have. */
export type Try = readonly [what: string, path: string, asked: Asked, ...allowed: readonly number[]];

/** The statuses of what gets nothing. */
export const REFUSED = [400, 401, 403, 404, 405, 413, 415, 421];

/** A server over a session that waits to pay; nothing of the attack may decide or pay. */
export async function atDoor(
  world: World,
  attack: (door: Door, question: Waiting) => Promise<readonly string[]>,
): Promise<Verdict> {
  await payingSession(world);
  const door = await Door.open(world);
  const [question] = await waitingAt(door);
  premise(question !== undefined, 'nothing waits');
  const objections = [...(await attack(door, question))];
  const { decisions, paid } = door.done;
  if (decisions > 0) objections.push('a decision was recorded');
  if (paid > 0) objections.push('it paid');
  if ((await waitingAt(door)).length !== 1) objections.push('the question waits no longer');
  return heldUnless(objections, 'refused, and the question waits');
}

/** Makes requests that must not get through, and tells of those that did. */
export async function allRefused(door: Door, tries: readonly Try[]): Promise<readonly string[]> {
  const objections: string[] = [];
  for (const [what, path, asked, ...allowed] of tries) {
    const { status } = await door.ask(path, asked);
    if (!(allowed.length > 0 ? allowed : REFUSED).includes(status))
      objections.push(`${what}: ${String(status)}`);
  }
  return objections;
}

/** The page of a question. */
export const placeOf = ({ session, interrupt }: Waiting): string =>
  `/sessions/${session}/questions/${interrupt}`;
/** The place that programs send answers to. */
export const answersOf = ({ session }: Waiting): string => `/v1/sessions/${session}/answers`;
/** An answer to what was shown. */
export const bodyOf = ({ interrupt, digest }: Waiting, answer = 'y'): string =>
  JSON.stringify({ interrupt, digest, answer });
