// Invariants:
// S1 Nothing is answered before the doors let somebody in, but the style, the script and the sign of the pages.
// S2 A page that is got changes nothing; what changes something carries the token of a form, or came from a program.
import { randomBytes } from 'node:crypto';
import type { Clock, SessionStore } from '../core/index.js';
import { HitlError, isSameText, problemOf } from '../core/index.js';
import { openStore } from '../library/index.js';
import { systemClock } from '../library/system-clock.js';
import { runForClient } from './agui/index.js';
import { apiRoutes, openApi, refusal } from './api/index.js';
import { formOf, textOf } from './body.js';
import { Changes } from './changes.js';
import type { Access, Visitor } from './doors/index.js';
import { Cookies, Doors, isUnsafe, secured } from './doors/index.js';
import { loadHono } from './load-hono.js';
import { ICON, messagePage, pageResponse, pageRoutes, SCRIPT, signInPage, STYLE } from './pages/index.js';
import type { Call } from './route.js';
import type { ServedAgent } from './running/index.js';
import { ServedSessions } from './running/index.js';
import type { SlackDoor } from './slack/index.js';
import { slackClick } from './slack/index.js';
import type { ServerWorld } from './world.js';

/** The settings of a server. */
export interface ServerOptions {
  readonly store: SessionStore;
  readonly access: Access;
  /** The hosts by which it is called, with their ports: others get nothing. */
  readonly hosts: readonly string[];
  /** The port on which it listens: cookies are named after it. */
  readonly port: number;
  /** Begins addresses that are told to others. Default: `http://` and the first host. */
  readonly origin?: string;
  /** Signs cookies and forms. Default: a new one, so that a start of the server forgets who signed in. */
  readonly secret?: Uint8Array;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Runs for programs, at `POST /v1/sessions`, and for clients of AG-UI, at `POST /agui`. Default: nobody does. */
  readonly agent?: ServedAgent;
  /** Takes clicks of Slack, at `POST /hooks/slack`. Default: none. */
  readonly slack?: readonly SlackDoor[];
  /** Told in the description of the interface. Default: `library`. */
  readonly version?: string;
}

/** A server, as a function of requests: it runs wherever `fetch` does. */
export interface HitlServer {
  /** Answers a request; `address` is that of whoever is connected. */
  fetch(request: Request, address: string): Promise<Response>;
  /** Lets go of the sessions that its agent runs; what was kept of them is all there is. */
  close(): Promise<void>;
}

/**
 * Makes the server: pages for people, JSON for programs.
 * @throws HitlError BAD_CONFIG where its packages are not installed.
 */
export async function createServer(options: ServerOptions): Promise<HitlServer> {
  const { store, access, hosts, port, clock = systemClock, version = 'library' } = options;
  const { Hono } = await loadHono();
  const origin = options.origin ?? `http://${hosts[0] ?? `127.0.0.1:${port}`}`;
  const random = (size: number): Uint8Array => randomBytes(size);
  const cookies = new Cookies({
    ...{ port, random },
    secret: options.secret ?? random(32),
    secure: origin.startsWith('https:'),
  });
  const doors = new Doors({ access, clock, cookies, hosts: hosts.map((host) => host.toLowerCase()) });
  const patience = (): AbortSignal => clockSignal(clock, TAKEN_MS);
  const world: ServerWorld = { store, clock, origin, patience, changes: new Changes(store, clock) };
  const served = options.agent && new ServedSessions(world, options.agent);
  const api = apiRoutes(world, served);
  const described = openApi(api, version);
  const app = new Hono<{ Bindings: { readonly visitor: Visitor } }>();
  for (const route of [...api, ...pageRoutes(world)])
    app.on(route.method, route.path, ({ req, env }) => {
      const url = new URL(req.url);
      return route.handle({
        request: req.raw,
        url,
        param: (name) => req.param(name) ?? '',
        visitor: env.visitor,
      });
    });
  const { slack = [] } = options;
  if (served !== undefined)
    app.post('/agui', ({ req, env }) =>
      runForClient({ request: req.raw, visitor: env.visitor }, world, served),
    );
  app.get('/openapi.json', () => Response.json(described));
  app.notFound((context) => lost(context.req.raw, { visitor: context.env.visitor }));
  app.onError((thrown, context) => failed(thrown, context.req.raw, { visitor: context.env.visitor }));
  return {
    fetch: (request, address) => answered(request, address, { doors, app, access, world, slack }),
    close: async () => served?.close(),
  };
}

/** The time to wait for the process that has a session, in milliseconds. */
const TAKEN_MS = 2_500;

/** A signal that aborts when a time is over. */
function clockSignal(clock: Clock, ms: number): AbortSignal {
  const over = new AbortController();
  void clock.sleep(ms, over.signal).then(() => {
    over.abort(new HitlError('SESSION_LOCKED', 'others write to this session', { hint: 'try again' }));
  });
  return over.signal;
}

/** Describes the interface for programs: OpenAPI 3.1, as `/openapi.json` has it. */
export function serverDescription(version: string): object {
  const store = openStore();
  const patience = (): AbortSignal => clockSignal(systemClock, TAKEN_MS);
  const world = { store, clock: systemClock, origin: '', patience, changes: new Changes(store, systemClock) };
  const begin = (): Promise<never> => Promise.reject(new HitlError('USAGE', 'nobody runs here'));
  return openApi(apiRoutes(world, { begin }), version);
}

interface Inside {
  readonly doors: Doors;
  readonly access: Access;
  readonly world: ServerWorld;
  readonly slack: readonly SlackDoor[];
  readonly app: { fetch(request: Request, env: { readonly visitor: Visitor }): Response | Promise<Response> };
}

async function answered(request: Request, address: string, inside: Inside): Promise<Response> {
  const { doors, app } = inside;
  try {
    const url = new URL(request.url);
    const open = doors.isOurs(request) ? await withoutVisitor(request, url, inside) : undefined;
    if (open !== undefined) return secured(open);
    const admitted = doors.admit(request, address);
    if (admitted.type === 'refused') return secured(refusedFor(request, admitted));
    const { visitor, cookie } = admitted;
    if (isProgram(request) && isUnsafe(request) && !hasFormToken(request, visitor))
      return secured(refusal(403, 'FORBIDDEN', 'a browser sends the token of its forms as x-hitl-form'));
    return secured(await app.fetch(request, { visitor }), cookie);
  } catch (thrown) {
    return secured(failed(thrown, request));
  }
}

/** Gives what everybody gets: how it looks, whether it lives, and the ways to sign in. */
async function withoutVisitor(
  request: Request,
  url: URL,
  { doors, access, world, slack }: Inside,
): Promise<Response | undefined> {
  const { pathname } = url;
  const fixed = request.method === 'GET' ? FIXED.get(pathname) : undefined;
  if (fixed !== undefined) return new Response(fixed.text, { headers: { 'content-type': fixed.type } });
  if (request.method === 'POST' && pathname === '/hooks/slack' && slack.length > 0)
    return slackClick(request, await textOf(request), world, slack);
  const token = url.searchParams.get('token');
  if (access.type === 'link' && request.method === 'GET' && pathname === '/' && token !== null)
    return signedIn(doors.signIn(token));
  if (request.method !== 'POST' || access.type === 'proxy') return undefined;
  if (pathname === '/sign-in')
    return signedIn(doors.signIn((await formOf(request)).get('token')?.trim() ?? ''));
  if (pathname === '/sign-out') return seeOther(doors.signOut());
  return undefined;
}

const FIXED: ReadonlyMap<string, { readonly text: string; readonly type: string }> = new Map([
  ['/style.css', { text: STYLE, type: 'text/css; charset=utf-8' }],
  ['/live.js', { text: SCRIPT, type: 'text/javascript; charset=utf-8' }],
  ['/icon.svg', { text: ICON, type: 'image/svg+xml' }],
  ['/healthz', { text: 'ok\n', type: 'text/plain; charset=utf-8' }],
]);

/** The token leaves the address at once. */
function signedIn(cookie: string | undefined): Response {
  if (cookie !== undefined) return seeOther(cookie);
  return pageResponse(signInPage('This token is nobody’s.'), undefined, 401);
}

function seeOther(cookie: string): Response {
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } });
}

/** True for what programs ask for: they are told in JSON. */
function isProgram({ url, headers }: Request): boolean {
  const { pathname } = new URL(url);
  return (
    pathname.startsWith('/v1/') ||
    pathname === '/agui' ||
    (headers.get('accept') ?? '').startsWith('application/json')
  );
}

function hasFormToken({ headers }: Request, { formToken }: Visitor): boolean {
  return formToken === undefined || isSameText(headers.get('x-hitl-form') ?? '', formToken);
}

function refusedFor(
  request: Request,
  { status, why }: { readonly status: number; readonly why: string },
): Response {
  if (isProgram(request)) return refusal(status, status === 401 ? 'UNAUTHENTICATED' : 'FORBIDDEN', why);
  if (status === 401) return pageResponse(signInPage('Nobody has signed in here.'), undefined, status);
  return pageResponse(messagePage('Not let in', `This was refused: ${why}.`), undefined, status);
}

function lost(request: Request, call?: Pick<Call, 'visitor'>): Response {
  if (isProgram(request)) return refusal(404, 'NOT_FOUND', 'there is nothing here');
  return pageResponse(messagePage('Not here', 'There is no such page.'), call, 404);
}

function failed(thrown: unknown, request: Request, call?: Pick<Call, 'visitor'>): Response {
  const { status, error } = problemOf(thrown);
  if (isProgram(request)) return Response.json({ error }, { status });
  return pageResponse(messagePage('That did not work', `${error.message}.`, error.hint), call, status);
}
