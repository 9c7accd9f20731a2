// Invariants:
// S1 One table, `routesOf`, has all that the server answers; nothing is answered beside it (`route.ts`).
// S2 Whoever is refused a sign-in, a role or a form leaves a line in the log, and so does whoever signs in or out.
import { randomBytes } from 'node:crypto';
import type { Clock, SessionStore, Shown } from '../core/index.js';
import { escapeText, HitlError, isSameText, problemOf, shown, count } from '../core/index.js';
import { systemClock } from '../library/system-clock.js';
import type { TextMeter } from '../telemetry/index.js';
import { countedStore, textMeter } from '../telemetry/index.js';
import { runForClient } from './agui/agui-route.js';
import { apiRoutes } from './api/routes.js';
import { openApi } from './api/openapi.js';
import { formOf, textOf } from './body.js';
import { Changes } from './changes.js';
import type { Access, Visitor } from './doors/visitor.js';
import type { Refused } from './doors/doors.js';
import type { SignIns } from './doors/cookie.js';
import { checkSecret } from './doors/proxy.js';
import { Cookies, signInsInMemory } from './doors/cookie.js';
import { Doors } from './doors/doors.js';
import { isForeign, isLoopback, isUnsafe, ownHost } from './doors/origin.js';
import { may } from './doors/visitor.js';
import { secured } from './doors/headers.js';
import { jsonResponse, refusal } from './json.js';
import { loadHono } from './load-hono.js';
import { metricsRoute } from './metrics/metrics-route.js';
import { Requests } from './metrics/requests.js';
import { ICON, messagePage, signInPage } from './pages/layout.js';
import { pageResponse, pageRoutes } from './pages/page-routes.js';
import { SCRIPT } from './pages/script.js';
import { STYLE } from './pages/style.js';
import { HEALTH, readyRoute } from './readiness.js';
import type { Call, InnerRoute, OpenCall, OpenRoute, Route } from './route.js';
import { checkRoutes, CLICK_BYTES, FEW_BYTES, MOST_BYTES } from './route.js';
import type { ServedAgent } from './running/served-agent.js';
import { ServedSessions } from './running/served-sessions.js';
import type { ServedQuestions } from './running/served-questions.js';
import { Followers } from './sight/follow.js';
import { Looks, Sight } from './sight/sight.js';
import type { SlackDoor } from './slack/slack-route.js';
import { slackClick } from './slack/slack-route.js';
import { Streams } from './streams.js';
import type { ServerWorld } from './world.js';

/** Settings for a server. */
export interface ServerOptions {
  readonly store: SessionStore;
  readonly access: Access;
  /** Accepted hosts, including ports. With a proxy, only the host of `origin`. */
  readonly hosts: readonly string[];
  /** Port that the server listens on. It is part of the cookie name. */
  readonly port: number;
  /**
   * The public URL, which is also used in links. Cookies are set for this host only. Default: a unique name
   * below `localhost` if all hosts refer to this machine, otherwise `http://` and the first host. Required
   * with a proxy.
   */
  readonly origin?: string;
  /** Stored sign-ins. Default: in memory, so a restart signs everyone out. */
  readonly signIns?: SignIns;
  /** Default: this machine's clock. */
  readonly clock?: Clock;
  /**
   * Agent to run for programs, at `POST /v1/sessions`, and for AG-UI clients, at `POST /agui`. Default: none.
   */
  readonly agent?: ServedAgent;
  /** Allows programs to ask people questions, at `POST /v1/questions`. Default: not allowed. */
  readonly questions?: ServedQuestions;
  /** Accepts button clicks from Slack, at `POST /hooks/slack`. Default: none are accepted. */
  readonly slack?: readonly SlackDoor[];
  /** Version shown in the API description. Default: `library`. */
  readonly version?: string;
  /**
   * Meter for the server's metrics. The `/metrics` endpoint returns all metrics of this meter. Default: a new
   * meter.
   */
  readonly meter?: TextMeter;
  /** Called with one escaped line per sign-in or refusal. Default: not called. */
  readonly log?: (line: Shown) => void;
}

/** A server, as a request handler similar to `fetch`. */
export interface HitlServer {
  /** URL that people use, for example `http://k3x9….localhost:4680`. */
  readonly origin: string;
  /**
   * Handles a request.
   * @param address the client's address, or `THROUGH_SOCKET` if the request arrived through the socket of
   * `listen({ path })`
   * @param repeated lower-case names of the headers that were sent more than once, because `Headers` joins
   * their values
   */
  fetch(request: Request, address: string, repeated?: readonly string[]): Promise<Response>;
  /**
   * Stops starting and resuming sessions, and lets the agent's sessions finish on their own.
   * @returns a promise that resolves when all sessions have stopped
   */
  drain(): Promise<void>;
  /**
   * Closes the agent's sessions at once, without waiting for their runs to finish. Only saved events are
   * kept.
   */
  close(): Promise<void>;
}

/** Makes unpredictable bytes. */
const random = (size: number): Uint8Array => randomBytes(size);

/** Lengths of a key and of the random label in the server's own host name, in bytes. */
const KEY_BYTES = 32;
const LABEL_BYTES = 10;

/**
 * Maximum number of log lines per minute. The limit keeps repeated refusals from filling the disk or burying
 * other lines.
 */
const MOST_LINES = 30;
const MINUTE_MS = 60_000;

/**
 * Logs sign-ins and refusals, up to a limit per minute. The first line after that minute reports how many
 * lines were omitted.
 */
class Log {
  readonly #clock: Clock;
  readonly #write: ((line: Shown) => void) | undefined;
  #since = 0;
  #lines = 0;

  constructor(clock: Clock, write: ((line: Shown) => void) | undefined) {
    this.#clock = clock;
    this.#write = write;
  }

  tell(line: Shown): void {
    const now = this.#clock.now();
    if (now - this.#since >= MINUTE_MS) {
      const leftOut = this.#lines - MOST_LINES;
      [this.#since, this.#lines] = [now, 0];
      if (leftOut > 0) this.#write?.(shown`${count(leftOut, 'more line')} like these in the previous minute`);
    }
    this.#lines += 1;
    if (this.#lines <= MOST_LINES) this.#write?.(line);
  }
}

/**
 * Creates a server with web pages for people and a JSON API for programs.
 * @throws HitlError BAD_CONFIG if packages are missing or the public host is not set.
 */
export async function createServer(options: ServerOptions): Promise<HitlServer> {
  const { access, port, meter = textMeter() } = options;
  const store = countedStore(options.store, meter);
  const { clock = store.clock ?? systemClock } = options;
  if (access.type === 'proxy' && access.proof.type === 'secret') checkSecret(access.proof.secret);
  const { Hono } = await loadHono();
  const origin = options.origin ?? originFor(options);
  const hosts = access.type === 'proxy' ? [] : options.hosts.map((host) => host.toLowerCase());
  const signIns = options.signIns ?? signInsInMemory(random(KEY_BYTES));
  const issuer = access.type === 'proxy' ? access.issuer : '';
  const cookies = new Cookies({
    ...{ port, random, signIns },
    server: [access.type, issuer, origin],
    secure: origin.startsWith('https:'),
  });
  const home = new URL(origin).host;
  const doors = new Doors({ access, clock, cookies, hosts, home });
  const patience = (): AbortSignal => clockSignal(clock, TAKEN_MS);
  const changes = new Changes(store, clock);
  const followers = new Followers({ store, changes });
  const world = { store, clock, origin, patience, changes, followers, looks: new Looks(store) };
  const served = options.agent && new ServedSessions(world, options.agent);
  const log = new Log(clock, options.log);
  const inside: Inside = { access, doors, world, origin, log, streams: new Streams() };
  const routes = routesOf(options, { ...inside, served, signIns, meter });
  checkRoutes(routes);
  const requests = new Requests(meter);
  const app = new Hono<{ Bindings: From }>();
  for (const route of routes)
    app.on(route.method, route.path, ({ req, env }, next) => {
      const url = new URL(req.url);
      if (route.method === 'GET' && route.having !== undefined && !url.searchParams.has(route.having))
        return next();
      const asked = { request: req.raw, url, param: (name: string) => req.param(name) ?? '', ...env };
      return requests.counted(route, answered(route, asked, inside));
    });
  app.notFound(({ req, env }) => requests.counted(undefined, lost(req.raw, env, inside)));
  app.onError((thrown, { req }) => failed(thrown, isProgram(req.raw)));
  return {
    origin,
    fetch: async (request, address, repeated = []) => {
      if (!doors.isOurs(request)) return secured(await requests.counted(undefined, misdirected(request)));
      return secured(await app.fetch(request, { address, repeated }));
    },
    drain: async () => {
      await served?.drain();
    },
    close: async () => {
      followers.close();
      await served?.close();
    },
  };
}

/** @throws HitlError BAD_CONFIG */
function originFor({ access, hosts, port }: ServerOptions): string {
  if (access.type === 'proxy')
    throw new HitlError('BAD_CONFIG', 'a server behind a proxy requires `origin`', {
      hint: "set it to the URL that people open, for example 'https://hitl.example.org'",
    });
  const isLocal = hosts.every((host) => isLoopback(new URL(`http://${host}`).hostname));
  const label = Buffer.from(random(LABEL_BYTES)).toString('hex');
  return `http://${isLocal ? ownHost(label, port) : (hosts[0] ?? `127.0.0.1:${port}`)}`;
}

/** How long to wait for the process that has a session open, in milliseconds. */
const TAKEN_MS = 2_500;

/** Returns a signal that aborts after a given time. */
function clockSignal(clock: Clock, ms: number): AbortSignal {
  const over = new AbortController();
  void clock.sleep(ms, over.signal).then(() => {
    over.abort(
      new HitlError('SESSION_LOCKED', 'other programs are writing to this session', { hint: 'try again' }),
    );
  });
  return over.signal;
}

/** Returns the OpenAPI 3.1 description served at `/openapi.json`. */
export function serverDescription(version: string): object {
  const begin = (): Promise<never> => Promise.reject(new HitlError('USAGE', 'no agent runs on this server'));
  const none = (): Promise<never> =>
    Promise.reject(new HitlError('USAGE', 'this server does not support questions'));
  return openApi(apiRoutes({ begin }, { ask: none, outcome: none }), version);
}

/** The client address of a request, and its repeated headers. */
interface From {
  readonly address: string;
  readonly repeated: readonly string[];
}

interface Inside {
  readonly access: Access;
  readonly doors: Doors;
  readonly world: ServerWorld;
  readonly origin: string;
  readonly log: Log;
  readonly streams: Streams;
}

const FILES: readonly (readonly [path: string, text: string, type: string])[] = [
  ['/style.css', STYLE, 'text/css; charset=utf-8'],
  ['/live.js', SCRIPT, 'text/javascript; charset=utf-8'],
  ['/icon.svg', ICON, 'image/svg+xml'],
  HEALTH,
];

/** Returns the route table, which contains every route of this server (S1). */
function routesOf(
  { slack = [], version = 'library', questions }: ServerOptions,
  inside: Inside & {
    readonly served: ServedSessions | undefined;
    readonly signIns: SignIns;
    readonly meter: TextMeter;
  },
): readonly Route[] {
  const { world, served, meter } = inside;
  const api = apiRoutes(served, questions);
  const described = openApi(api, version);
  return [
    ...FILES.map(([path, text, type]): Route => ({
      ...{ method: 'GET', path, kind: 'file', needs: 'nobody' },
      handle: () => new Response(text, { headers: { 'content-type': type } }),
    })),
    readyRoute(world),
    { ...metricsRoute({ store: world.store, clock: world.clock, meter, version }), needs: 'measure' },
    ...signInRoutes(inside),
    ...(slack.length === 0 ? [] : [slackRoute(world, slack)]),
    ...api,
    {
      ...{ method: 'GET', path: '/openapi.json', kind: 'json', needs: 'any role' },
      handle: () => jsonResponse(described),
    },
    ...(served === undefined ? [] : [agUiRoute(world, served)]),
    ...pageRoutes(world),
  ];
}

function slackRoute(world: ServerWorld, slack: readonly SlackDoor[]): OpenRoute {
  return {
    ...{ method: 'POST', path: '/hooks/slack', kind: 'file', needs: 'nobody' },
    ...{ shows: 'signature', mostBytes: CLICK_BYTES },
    handle: async (call) => slackClick(call.request, await textOf(call), world, slack),
  };
}

function agUiRoute(world: ServerWorld, served: ServedSessions): InnerRoute {
  return {
    ...{ method: 'POST', path: '/agui', kind: 'json', needs: 'say' },
    ...{ shows: 'header', mostBytes: MOST_BYTES },
    handle: (call) => runForClient(call, world, served),
  };
}

/** Returns the routes for signing in and out. Empty if the server is behind a proxy. */
function signInRoutes({
  access,
  doors,
  signIns,
  log,
}: Inside & { readonly signIns: SignIns }): readonly Route[] {
  if (access.type === 'proxy') return [];
  const enter = (token: string, { address }: OpenCall): Response => {
    const found = doors.signIn(token);
    if (found === undefined) {
      log.tell(shown`refused: sign-in from ${escapeText(address)}: unknown token`);
      return pageResponse(signInPage('Unknown token.', access.type), undefined, 401);
    }
    log.tell(shown`signed in: ${escapeText(found.name)} from ${escapeText(address)}`);
    return seeOther(found.cookie);
  };
  const byLink: OpenRoute = {
    ...{ method: 'GET', path: '/', having: 'token', kind: 'page', needs: 'nobody' },
    handle: (call) => enter(call.url.searchParams.get('token') ?? '', call), // it leaves the address at once
  };
  const byForm: OpenRoute = {
    ...{ method: 'POST', path: '/sign-in', kind: 'page', needs: 'nobody' },
    ...{ shows: 'same-site', mostBytes: FEW_BYTES },
    handle: async (call) => enter((await formOf(call)).get('token')?.trim() ?? '', call),
  };
  const out: InnerRoute = {
    ...{ method: 'POST', path: '/sign-out', kind: 'page', needs: 'any role' },
    ...{ shows: 'field', mostBytes: FEW_BYTES },
    handle: async ({ visitor, address }) => {
      await signIns.signOut(visitor.name);
      log.tell(shown`signed out: ${escapeText(visitor.name)} from ${escapeText(address)}`);
      return seeOther(doors.signedOut());
    },
  };
  return [...(access.type === 'link' ? [byLink] : []), byForm, out];
}

type Asked = Pick<Call, 'request' | 'url' | 'param'> & From;

/**
 * Handles a request with its route, after checking permissions, the request's origin and the body size for
 * all routes.
 */
async function answered(route: Route, asked: Asked, inside: Inside): Promise<Response> {
  const { request, url } = asked;
  const { doors, world, origin, log, streams } = inside;
  const isJson = route.kind !== 'page' || isProgram(request);
  try {
    if (route.kind === 'page' && !doors.isHome(request)) return atHome(request, url, origin);
    if (route.needs === 'nobody') {
      const call = await callFor(route, asked, { isJson, log });
      return call instanceof Response ? call : await route.handle(call);
    }
    const admitted = doors.admit(request, asked);
    if (admitted.type === 'refused') return refusedFor(asked, admitted, { ...inside, isJson });
    const { visitor } = admitted;
    const call = await callFor(route, asked, { visitor, isJson, log });
    if (call instanceof Response) return call;
    const handle = () => route.handle({ ...call, visitor, sight: new Sight(world, visitor) });
    if (route.method !== 'GET' || (route.isStream !== true && route.waits !== true)) return await handle();
    if (route.isStream === true && request.method === 'HEAD')
      return new Response(null, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    return await streams.open(visitor, handle);
  } catch (thrown) {
    return failed(thrown, isJson);
  }
}

/** Returns the parsed request for a route, or the response that refuses it. */
async function callFor(
  route: Route,
  asked: Asked,
  { visitor, isJson, log }: { readonly visitor?: Visitor; readonly isJson: boolean; readonly log: Log },
): Promise<OpenCall | Response> {
  const mostBytes = route.method === 'GET' ? 0 : route.mostBytes;
  if (Number(asked.request.headers.get('content-length') ?? 0) > mostBytes)
    return tooLarge(mostBytes, isJson, visitor);
  const hasForm = route.method === 'POST' && route.shows === 'field';
  const form = hasForm ? await formOf({ ...asked, mostBytes }) : new URLSearchParams();
  const call = { ...asked, mostBytes, form };
  const refused = notTaken(route, call, visitor);
  if (refused === undefined) return call;
  log.tell(shown`refused: ${requestLine(asked, visitor)}: ${escapeText(refused.words)}`);
  if (isJson) return refusal(403, refused.why === 'role' ? 'NOT_ELIGIBLE' : 'FORBIDDEN', refused.words);
  return pageResponse(
    messagePage('Not done', `Nothing was done: ${refused.words}.`, NOT_TAKEN_HINT[refused.why]),
    visitor && { visitor },
    403,
  );
}

/** The reason a route refuses a request. */
interface NotTaken {
  readonly why: 'role' | 'form' | 'other site';
  readonly words: string;
}

/**
 * Returns the reason that a route refuses a request, or `undefined` if it accepts the request
 * (W1 of `route.ts`).
 */
export function notTaken(
  route: Route,
  { request: { headers }, form }: Pick<OpenCall, 'request' | 'form'>,
  visitor: Visitor | undefined,
): NotTaken | undefined {
  if (route.needs !== 'nobody' && route.needs !== 'any role' && !(visitor && may(visitor, route.needs)))
    return {
      why: 'role',
      words:
        visitor === undefined
          ? `not signed in: this requires the role ${route.needs}`
          : `${visitor.name} does not have the role ${route.needs}`,
    };
  if (route.method === 'GET' || route.shows === 'signature') return undefined;
  const isBrowser = visitor === undefined || visitor.formToken !== undefined;
  if (isBrowser && isForeign(headers)) return { why: 'other site', words: 'sent by another site' };
  if (route.shows === 'same-site') return undefined;
  const isProgram = visitor?.formToken === undefined && route.shows === 'header'; // no browser has its token
  const given = (route.shows === 'field' ? form.get('form') : headers.get('x-hitl-form')) ?? '';
  if (isProgram || (visitor?.formToken !== undefined && isSameText(given, visitor.formToken)))
    return undefined;
  return {
    why: 'form',
    words:
      route.shows === 'header' ? 'browsers must send the form token in x-hitl-form' : 'this form has expired',
  };
}

/**
 * Returns the response to a request whose declared size is too large. The body is not read, and the
 * connection is closed.
 */
function tooLarge(mostBytes: number, isJson: boolean, visitor: Visitor | undefined): Response {
  const words = `request body too large: at most ${mostBytes} bytes`;
  const response = isJson
    ? refusal(413, 'BAD_INPUT', words)
    : pageResponse(messagePage('Not done', `Nothing was done: ${words}.`), visitor && { visitor }, 413);
  response.headers.set('connection', 'close');
  return response;
}

const NOT_TAKEN_HINT: Readonly<Record<NotTaken['why'], string>> = {
  role: 'The server administrator assigns roles.',
  form: 'Open the page again and submit its form.',
  'other site': 'Use this server’s own page instead.',
};

/** Formats a request's method, path and sender on one line. */
function requestLine({ request, url, address }: Omit<Asked, 'param'>, visitor?: Visitor): Shown {
  const from = visitor === undefined ? address : `${visitor.name} at ${address}`;
  return shown`${escapeText(request.method)} ${escapeText(url.pathname.slice(0, MOST_LOGGED))} from ${escapeText(from)}`;
}

/** Maximum number of characters of a path to log. */
const MOST_LOGGED = 200;

/** Redirects to the server's own host, which the cookies are set for. */
function atHome(request: Request, url: URL, origin: string): Response {
  const location = `${origin}${url.pathname}${url.search}`;
  if (!isUnsafe(request)) return new Response(null, { status: 303, headers: { location } });
  return pageResponse(messagePage('Not done', `This page is at ${origin}/.`), undefined, 403);
}

function seeOther(cookie: string): Response {
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } });
}

/** Whether the request comes from a program, which receives errors as JSON. Not used for access decisions. */
function isProgram({ url, headers }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname.startsWith('/v1/') || (headers.get('accept') ?? '').startsWith('application/json');
}

function refusedFor(
  asked: Omit<Asked, 'param'>,
  { status, why, isTried }: Refused,
  { isJson, access, log }: Pick<Inside, 'access' | 'log'> & { readonly isJson: boolean },
): Response {
  if (isTried) log.tell(shown`refused: ${requestLine(asked)}: ${escapeText(why)}`);
  if (isJson) return refusal(status, status === 401 ? 'UNAUTHENTICATED' : 'FORBIDDEN', why);
  if (status === 401 && access.type !== 'proxy')
    return pageResponse(signInPage('You are not signed in.', access.type), undefined, status);
  return pageResponse(messagePage('Access denied', `Refused: ${why}.`), undefined, status);
}

function misdirected(request: Request): Response {
  const why = 'this host name does not belong to this server';
  if (isProgram(request)) return refusal(421, 'FORBIDDEN', why);
  return pageResponse(messagePage('Access denied', `Refused: ${why}.`), undefined, 421);
}

/**
 * Responds to a request for an unknown route. Unauthenticated clients get the same response as for a known
 * route.
 */
function lost(request: Request, from: From, inside: Inside): Response {
  const { doors, origin } = inside;
  const url = new URL(request.url);
  const isJson = isProgram(request);
  if (!isJson && !isUnsafe(request) && !doors.isHome(request)) return atHome(request, url, origin);
  const admitted = doors.admit(request, from);
  if (admitted.type === 'refused')
    return refusedFor({ request, url, ...from }, admitted, { ...inside, isJson });
  if (isJson) return refusal(404, 'NOT_FOUND', 'not found');
  return pageResponse(messagePage('Page not found', 'Check the address.'), admitted, 404);
}

function failed(thrown: unknown, isJson: boolean): Response {
  const { status, headers, error } = problemOf(thrown);
  if (isJson) return jsonResponse({ error }, { status, ...(headers && { headers }) });
  const page = pageResponse(
    messagePage('Something went wrong', `${error.message}.`, error.hint),
    undefined,
    status,
  );
  for (const [name, value] of Object.entries(headers ?? {})) page.headers.set(name, value);
  return page;
}
