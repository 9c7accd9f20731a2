import { once } from 'node:events';
import type { Http2Server, ServerHttp2Session } from 'node:http2';
import { createServer } from 'node:http2';
import type { Clock, Dispatcher, SessionId } from '../core/index.js';
import { HitlError, isLoopbackHost, isSessionId, messageOf } from '../core/index.js';
import { namedFetch } from '../outgoing/named-fetch.js';
import type { RestateContext, RestateObject, RestateSdk } from './restate-sdk.js';

// Invariants:
// R1 Restate keeps that a session is to be looked at, and nothing of the session: no step runs inside its replay, so that it
//    repeats no effect. What a call did is in the journal alone.
// R2 One call at a time for a session shortens waits. What keeps writers apart is the hold of the session.

/** The settings of a dispatcher on Restate. */
export interface RestateDispatcherOptions {
  /** `await import('@restatedev/restate-sdk')`. */
  readonly sdk: RestateSdk;
  readonly clock: Clock;
  /** The addresses of the server: where it takes calls, and where services are registered. */
  readonly ingress: string;
  readonly admin: string;
  /** The port on which this worker is called. Default: any that is free. */
  readonly port?: number;
  /** The interface on which it is called. Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * The public keys of the server, `publickeyv1_…`: a call that they did not sign is refused. Default: every call is taken,
   * and `host` has to be this machine.
   */
  readonly identityKeys?: readonly string[];
  /** Takes calls of anyone who can connect, on a host that others reach. Default false. */
  readonly isOpen?: boolean;
  /** The address by which the server reaches the workers, where it is another, such as that of a balancer before them. */
  readonly address?: string;
  /** The name of the service. Default `hitl`. */
  readonly name?: string;
  /** Default: the global one, and no redirect is followed. */
  readonly fetch?: typeof fetch;
}

/** Restate asks a call that is silent for so long to stop, and ends it after that much more. A tool may run for long. */
const SILENT_MS = 24 * 3_600_000;
const RETRIES = {
  initialInterval: 100,
  maxInterval: 2_000,
  exponentiationFactor: 2,
  maxAttempts: 500,
  onMaxAttempts: 'kill', // this call; the next one begins anew
} as const;
/** The time between two tries to reach the server at the start, and the one that an answer may take. */
const AGAIN_MS = 300;
const ANSWER_MS = 10_000;

const HERE = '127.0.0.1';
/** They name every interface, and no host that somebody could call. */
const WILDCARDS = ['0.0.0.0', '::'];

/** @throws HitlError BAD_CONFIG where anyone could call the worker and nobody said so, or the server could not */
function checkPlace({
  host = HERE,
  address,
  identityKeys = [],
  isOpen = false,
}: RestateDispatcherOptions): void {
  if (identityKeys.length === 0 && !isOpen && !isLoopbackHost(host))
    throw new HitlError(
      'BAD_CONFIG',
      `listening on ${host} requires identityKeys: anyone who can connect could call this worker`,
      { hint: "identityKeys: ['publickeyv1_…'], the public keys of your Restate; or isOpen: true" },
    );
  if (address === undefined && WILDCARDS.includes(host))
    throw new HitlError('BAD_CONFIG', `a worker on ${host} requires address: Restate cannot call that host`, {
      hint: "address: 'http://worker-1.example.org:4742'",
    });
}

/** Makes a dispatcher of a server of Restate: wakes and moments outlive processes, and any worker is called. */
export function createRestateDispatcher(options: RestateDispatcherOptions): Dispatcher {
  return new RestateDispatcher(options);
}

/** A worker that is called. */
interface Working {
  readonly signal: AbortSignal;
  /** End the calls that run. */
  readonly stops: Set<AbortController>;
}

class RestateDispatcher implements Dispatcher {
  readonly #options: RestateDispatcherOptions;
  readonly #name: string;

  constructor(options: RestateDispatcherOptions) {
    this.#options = options;
    this.#name = options.name ?? 'hitl';
  }

  async wake(id: SessionId, at?: number): Promise<void> {
    const { clock, ingress } = this.#options;
    const wait = at === undefined ? 0 : Math.max(0, Math.ceil(at - clock.now()));
    const url = `${ingress}/${encodeURIComponent(this.#name)}/${id}/wake/send${wait === 0 ? '' : `?delay=${wait}ms`}`;
    await this.#post(url);
  }

  async work(
    handle: (id: SessionId, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { sdk, host = HERE, port = 0, address, identityKeys } = this.#options;
    checkPlace(this.#options);
    const running = new Set<Promise<void>>();
    const stops = new Set<AbortController>();
    const wake = (context: RestateContext): Promise<void> => {
      const call = this.#handle(context, handle, { signal, stops });
      running.add(call);
      const ended = (): void => {
        running.delete(call);
      };
      call.then(ended, ended);
      return call;
    };
    const services = [sdk.object(this.#definition(wake))];
    const endpoint = {
      services,
      logger: () => undefined,
      ...(identityKeys && { identityKeys: [...identityKeys] }),
    };
    const server = createServer(sdk.createEndpointHandler(endpoint));
    const sessions = sessionsOf(server);
    server.listen(port, host);
    await once(server, 'listening');
    try {
      await this.#register(address ?? addressOf(server, host), signal);
      await aborted(signal);
    } finally {
      for (const stop of stops) stop.abort();
      server.close();
      await Promise.allSettled(running);
      for (const session of sessions) session.destroy();
    }
  }

  #definition(wake: RestateObject['handlers']['wake']): RestateObject {
    const options = { retryPolicy: RETRIES, inactivityTimeout: SILENT_MS, abortTimeout: SILENT_MS };
    return { name: this.#name, handlers: { wake }, options };
  }

  /** One call. It fails where it was cut short: the server calls again then. */
  async #handle(
    context: RestateContext,
    handle: (id: SessionId, signal: AbortSignal) => Promise<void>,
    { signal, stops }: Working,
  ): Promise<void> {
    const { key } = context;
    if (!isSessionId(key)) return; // nothing of ours has such a name
    const stop = new AbortController();
    const givenUp = context.request().attemptCompletedSignal;
    const abort = (): void => {
      stop.abort();
    };
    stops.add(stop);
    givenUp.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      givenUp.throwIfAborted();
      await handle(key, stop.signal);
      signal.throwIfAborted();
    } finally {
      stops.delete(stop);
      givenUp.removeEventListener('abort', abort);
    }
  }

  /** Tells the server where the worker is; it may still be starting. */
  async #register(uri: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ uri, force: true });
    while (!signal.aborted) {
      try {
        await this.#post(`${this.#options.admin}/deployments`, body);
        return;
      } catch {
        await this.#options.clock.sleep(AGAIN_MS, signal).catch(() => undefined);
      }
    }
  }

  async #post(url: string, body?: string): Promise<void> {
    const send = this.#options.fetch ?? namedFetch;
    const stop = new AbortController();
    const waited = new AbortController();
    const late = this.#options.clock.sleep(ANSWER_MS, waited.signal).then(
      () => {
        stop.abort(new Error('no answer'));
      },
      () => undefined, // there was one
    );
    try {
      const given = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
      const response = await send(url, { method: 'POST', signal: stop.signal, ...given });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`status ${response.status}`);
    } catch (cause) {
      throw new HitlError('SAVE_FAILED', `Restate did not take it: ${messageOf(cause)}`, {
        hint: 'check the address of the server, and that a worker has registered',
        cause,
      });
    } finally {
      waited.abort();
      await late;
    }
  }
}

function sessionsOf(server: Http2Server): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => {
      sessions.delete(session);
    });
  });
  return sessions;
}

function addressOf(server: Http2Server, host: string): string {
  const at = server.address();
  return `http://${host}:${at !== null && typeof at === 'object' ? at.port : 0}`;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
