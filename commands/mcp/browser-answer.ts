import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { HitlError } from '../../src/core/index.js';

/** What the browser returns at the end of a login. */
export interface BrowserAnswer {
  readonly code: string;
  /** The server that claims to have issued the code. */
  readonly issuer?: string;
}

/** A local endpoint that the browser is redirected to after a login. */
export interface LandingPlace extends Disposable {
  readonly address: string;
  /**
   * Waits for a request that contains `state`, and rejects all others. @throws HitlError if the login was
   * refused.
   */
  answer(state: string, signal: AbortSignal): Promise<BrowserAnswer>;
}

const PATH = '/callback';

/** Opens the endpoint, on a free port by default. @throws HitlError USAGE if the port is in use. */
export async function openLandingPlace(port: number): Promise<LandingPlace> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new HitlError('USAGE', `cannot use port ${port}`, {
      hint: 'choose another: --port 8765',
      cause,
    });
  }
  const at = server.address();
  const taken = typeof at === 'object' && at !== null ? at.port : port;
  return {
    address: `http://127.0.0.1:${taken}${PATH}`,
    answer: (state, signal) => answerAt(server, state, signal),
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerAt(server: Server, state: string, signal: AbortSignal): Promise<BrowserAnswer> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(
        new HitlError('ABORTED', 'the browser did not return in time', {
          hint: 'start the login again',
        }),
      );
    });
    server.on('request', (request, response) => {
      const say = (status: number, text: string): void => {
        response
          .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
          .end(`${text}\n`);
      };
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (request.method !== 'GET' || pathname !== PATH) {
        say(404, 'Not found.');
        return;
      }
      if (searchParams.get('state') !== state) {
        say(400, 'Login mismatch. Start again.');
        return;
      }
      const code = searchParams.get('code');
      const issuer = searchParams.get('iss');
      if (code === null) {
        say(200, 'The login was refused. You can close this window.');
        const why = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no reason given';
        reject(
          new HitlError('TOOL_FAILED', `the login was refused: ${why.slice(0, 200)}`, {
            hint: 'nothing was saved; start the login again',
          }),
        );
        return;
      }
      say(200, 'Signed in. You can close this window.');
      resolve({ code, ...(issuer !== null && { issuer }) });
    });
  });
}
