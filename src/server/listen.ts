import { HitlError, messageOf } from '../core/index.js';
import type { ServerPackages } from './load-hono.js';
import { loadHono } from './load-hono.js';
import type { HitlServer } from './server.js';

/** The place where a server listens. */
export interface ListenOptions {
  /** Default: this machine alone. */
  readonly address?: string;
  /** Default: one that is free. */
  readonly port?: number;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Ends it, with every stream that is open. */
  close(): Promise<void>;
}

/** Makes a server, once its port is known. */
export type MakeServer = (port: number) => Promise<HitlServer>;

/**
 * Listens on an address of this machine.
 * @throws HitlError BAD_CONFIG where its packages are not installed, or nobody may listen there.
 */
export async function listen(
  make: MakeServer,
  { address = '127.0.0.1', port = 0 }: ListenOptions = {},
): Promise<Listening> {
  const { serve } = await loadHono();
  const made: { server?: HitlServer } = {};
  const { http, bound } = await started(serve, { address, port }, (request, from) =>
    made.server === undefined ? new Response(null, { status: 503 }) : made.server.fetch(request, from),
  );
  made.server = await make(bound);
  return {
    port: bound,
    close: async () => {
      await new Promise<void>((resolve) => {
        http.close(() => {
          resolve();
        });
        if ('closeAllConnections' in http) http.closeAllConnections();
      });
      await made.server?.close();
    },
  };
}

type Http = ReturnType<ServerPackages['serve']>;

function started(
  serve: ServerPackages['serve'],
  { address, port }: Required<ListenOptions>,
  answer: (request: Request, from: string) => Response | Promise<Response>,
): Promise<{ readonly http: Http; readonly bound: number }> {
  return new Promise((resolve, reject) => {
    const http = serve(
      {
        hostname: address,
        port,
        fetch: (request, { incoming }) => answer(request, incoming.socket.remoteAddress ?? ''),
      },
      (bound) => {
        resolve({ http, bound: bound.port });
      },
    );
    http.once('error', (cause) => {
      reject(
        new HitlError('BAD_CONFIG', `nobody can listen on ${address}:${port}: ${messageOf(cause)}`, {
          hint: 'choose another port: --port 0 takes one that is free',
          cause,
        }),
      );
    });
  });
}
