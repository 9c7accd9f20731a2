import { chmod, lstat, stat, unlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { errnoOf, HitlError, messageOf } from '../core/index.js';
import { THROUGH_SOCKET } from './doors/proxy.js';
import type { ServerPackages } from './load-hono.js';
import { loadHono } from './load-hono.js';
import type { HitlServer } from './server.js';

/** Options for `listen`: the address or socket, and limits. */
export interface ListenOptions {
  /** Address to listen on. Default: this machine only. */
  readonly address?: string;
  /** Port to listen on. Default: a free port. */
  readonly port?: number;
  /**
   * A Unix socket to listen on instead of an address and port. The permissions of its folder decide who may
   * connect.
   */
  readonly path?: string;
  /**
   * Maximum number of connections. When the limit is exceeded, the oldest idle or incomplete connection is
   * closed. Default 1,000.
   */
  readonly mostConnections?: number;
  /** Time limit for a request's headers, in milliseconds. Default 10 s. */
  readonly headersMs?: number;
  /** Time limit for a whole request, in milliseconds. Default 30 s. */
  readonly requestMs?: number;
}

const MOST_CONNECTIONS = 1_000;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Number of times that connections are checked within the shorter time limit. */
const LOOKS = 5;

/** A listening server. */
export interface Listening {
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** URL that people use. */
  readonly origin: string;
  /**
   * Stops starting new work and lets the agent's sessions run until they stop. Answers are still accepted.
   */
  drain(): Promise<void>;
  /** Closes the server and every open stream. */
  close(): Promise<void>;
}

/** Creates a server once its port is known. */
export type MakeServer = (port: number) => Promise<HitlServer>;

/**
 * Listens on an address of this machine or on a Unix socket.
 * @throws HitlError BAD_CONFIG if packages are missing, listening fails, or other users could create or reach
 * the socket.
 */
export async function listen(make: MakeServer, options: ListenOptions = {}): Promise<Listening> {
  const { address = '127.0.0.1', port = 0, path } = options;
  const { mostConnections = MOST_CONNECTIONS, headersMs = HEADERS_MS, requestMs = REQUEST_MS } = options;
  const { createAdaptorServer } = await loadHono();
  const made: { server?: HitlServer } = {};
  const http = createAdaptorServer({
    fetch: (request, { incoming }) => {
      const from = path === undefined ? (incoming.socket.remoteAddress ?? '') : THROUGH_SOCKET;
      return made.server === undefined
        ? new Response(null, { status: 503 })
        : made.server.fetch(request, from, repeatedIn(incoming.rawHeaders));
    },
    serverOptions: {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.ceil(Math.min(headersMs, requestMs) / LOOKS),
    },
  });
  boundConnections(http, mostConnections);
  if (path !== undefined) await checkSocket(path);
  await started(http, path === undefined ? { port, host: address } : { path });
  if (path !== undefined) await chmod(path, SOCKET_MODE);
  const place = http.address();
  const bound = typeof place === 'object' && place !== null ? place.port : 0;
  const server = await make(bound).catch((cause: unknown) => {
    http.close();
    throw cause;
  });
  made.server = server;
  return {
    port: bound,
    origin: server.origin,
    drain: () => server.drain(),
    close: async () => {
      await new Promise<void>((resolve) => {
        http.close(() => {
          resolve();
        });
        if ('closeAllConnections' in http) http.closeAllConnections();
      });
      await server.close();
    },
  };
}

/**
 * Closes the oldest idle or incomplete connection when the limit is exceeded, so that a client with many
 * connections cannot lock others out.
 */
function boundConnections(http: Http, most: number): void {
  const asking = new Map<Socket, IncomingMessage | undefined>(); // in the order in which they came
  http.on('connection', (socket: Socket) => {
    asking.set(socket, undefined);
    socket.once('close', () => {
      asking.delete(socket);
    });
    if (asking.size <= most) return;
    const idle = [...asking].find(([, request]) => request?.complete !== true);
    (idle?.[0] ?? socket).destroy();
  });
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    asking.set(socket, request);
    response.once('close', () => {
      if (asking.get(socket) === request) asking.set(socket, undefined);
    });
  });
}

/** Returns the header names that occur more than once in raw name-value pairs. */
function repeatedIn(raw: readonly string[]): readonly string[] {
  const names = raw.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Socket permissions: the owner and group may connect. */
const SOCKET_MODE = 0o660;
/** Permissions that the socket's folder must not have: writing by the group, and any access by others. */
const NOT_FOR_OTHERS = 0o027;

/**
 * Checks that other users cannot use a socket. If they could reach it, they could claim any identity. If they
 * could write to its folder, they could replace it. Removes a stale socket.
 * @throws HitlError BAD_CONFIG
 */
async function checkSocket(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    const { mode, uid } = await stat(folder);
    if ((mode & NOT_FOR_OTHERS) !== 0 || uid !== process.geteuid?.())
      throw new HitlError('BAD_CONFIG', `the socket folder ${folder} can be used or changed by other users`, {
        hint: `use a folder of your own that the proxy's group may enter: install -d -m 2750 -g <group> ${folder}`,
      });
    const there = await lstat(path);
    if (there.isSocket() && !(await isAnswered(path))) await unlink(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' && (await isThere(folder))) return;
    if (cause instanceof HitlError) throw cause;
    throw cannotListen(path, cause);
  }
}

async function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const done = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', done(true)).once('error', done(false));
  });
}

type Http = ReturnType<ServerPackages['createAdaptorServer']>;
type Place = { readonly port: number; readonly host: string } | { readonly path: string };

function started(http: Http, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause) => {
      reject(cannotListen('path' in place ? place.path : `${place.host}:${place.port}`, cause));
    });
    http.listen(place, () => {
      resolve();
    });
  });
}

function cannotListen(place: string, cause: unknown): HitlError {
  return new HitlError('BAD_CONFIG', `cannot listen on ${place}: ${messageOf(cause)}`, {
    hint: 'choose another port (0 picks a free one)',
    cause,
  });
}
