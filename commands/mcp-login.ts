import { randomBytes } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { Shown } from '../src/core/index.js';
import { escapeText, HitlError, isHitlError, joined, messageOf, shown } from '../src/core/index.js';
import type { Logins, McpAddress } from '../src/tools/mcp/index.js';
import { loadSdk, loginFetch, LoginProvider, reachedBy } from '../src/tools/mcp/index.js';
import { effectiveFlags } from './config/effective.js';
import type { PreviewFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import { configuredServers } from './mcp/configured-servers.js';
import { keptLogins } from './mcp/kept-logins.js';
import { namedServer } from './mcp/named-server.js';
import { openLandingPlace } from './mcp/browser-answer.js';

type LoginFlags = PreviewFlags;

/** Time limit for the user to log in with the browser, in milliseconds. */
const LOGIN_MS = 300_000;
/** Hint about using a key instead of a login. */
const KEY_HINT = 'if the server gives you a key, put it in a header: hitl mcp add --header';

/**
 * `hitl mcp login`: prints a login link for a server, waits for the browser, and saves the login.
 * @throws HitlError USAGE for a server that is a program, TOOL_FAILED if the server refuses the login.
 */
export async function logIn(
  io: Io,
  name: string,
  given: LoginFlags & { readonly port?: number },
): Promise<number> {
  const server = await addressOf(io, name, given);
  await loginAt(server, {
    logins: keptLogins(io),
    port: given.port ?? 0,
    show: (lines) => {
      tell(io.stderr, lines);
    },
  });
  return said(io, given, server, shown`logged in`);
}

/** Dependencies for a login. */
interface LoginPlace {
  readonly logins: Logins;
  /** Port for the redirect after the login; 0 selects a free port. */
  readonly port: number;
  /** Shows the link to the user. */
  readonly show: (lines: Shown) => void;
}

/**
 * Lets the user log in to a server with a browser, and saves the login. @throws HitlError TOOL_FAILED,
 * ABORTED.
 */
export async function loginAt(server: McpAddress, { logins, port, show }: LoginPlace): Promise<void> {
  using place = await openLandingPlace(port);
  const { auth } = await loadSdk();
  const state = randomBytes(32).toString('base64url');
  const provider = new LoginProvider(
    { redirect: place.address },
    {
      state,
      visit: (address) => {
        show(linkLines(server, address));
      },
      save: (login) => logins.write(server.url, login),
    },
  );
  const options = { serverUrl: server.url, fetchFn: loginFetch(server), ...(await challengeOf(server)) };
  const back = place.answer(state, AbortSignal.timeout(LOGIN_MS));
  back.catch(() => undefined); // told below
  try {
    if ((await auth(provider, options)) === 'AUTHORIZED') return;
    const { code, issuer } = await back;
    await auth(provider, {
      ...options,
      authorizationCode: code,
      ...(issuer !== undefined && { iss: issuer }),
    });
  } catch (cause) {
    if (isHitlError(cause)) throw cause;
    const why = `server \`${server.name}\` does not support login: ${messageOf(cause)}`;
    throw new HitlError('TOOL_FAILED', why, { hint: KEY_HINT, cause });
  }
}

/**
 * `hitl mcp logout`: deletes the login for a server. @throws HitlError USAGE for a server that is a program.
 */
export async function logOut(io: Io, name: string, given: LoginFlags): Promise<number> {
  const server = await addressOf(io, name, given);
  const isGone = await keptLogins(io).forget(server.url);
  return said(io, given, server, isGone ? shown`logged out` : shown`not logged in`);
}

async function addressOf(io: Io, named: string, given: LoginFlags): Promise<McpAddress> {
  const { config } = await effectiveFlags(io, { ...given, mcp: [named] }, modeOf(io, given));
  const { servers: known, problems } = configuredServers(io, config);
  for (const problem of problems) tell(io.stderr, shown`warning: ${escapeText(problem)}`);
  const server = namedServer(named, { known, cwd: io.cwd, home: io.home, env: io.env });
  if (server.type === 'http') return server;
  const why = known.has(named)
    ? `\`${named}\` does not have a URL, so it does not support login`
    : `no server \`${named}\` found`;
  throw new HitlError('USAGE', why, {
    hint: 'list configured servers: hitl mcp list',
  });
}

/** Sends an unauthenticated request to a server. The server's challenge describes how to log in. */
async function challengeOf(server: McpAddress): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams } = await loadSdk();
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const { url, headers } = server;
  const answer = await loginFetch(server)(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(ping),
  }).catch((cause: unknown) => {
    throw new HitlError('TOOL_FAILED', `server at ${url} is unreachable`, {
      hint: 'check that it is running and that the URL is right',
      cause,
    });
  });
  await answer.body?.cancel();
  if (answer.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
}

/**
 * Formats the login link, whose URL comes from the server. @throws HitlError TOOL_FAILED for an unsafe URL.
 */
function linkLines(server: McpAddress, address: URL): ReturnType<typeof joined> {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isHere))
    throw new HitlError('TOOL_FAILED', `server \`${server.name}\` requires login at an unencrypted URL`, {
      hint: KEY_HINT,
    });
  const plain = domainToUnicode(address.hostname);
  const written = plain === address.hostname ? shown`` : shown`, which is written ${escapeText(plain)}`;
  return joined([
    shown`${escapeText(server.name)} (${escapeText(reachedBy(server))}) asks you to log in at ${escapeText(address.host)}${written}`,
    shown`open this link in your browser:`,
    shown``,
    shown`${escapeText(address.href)}`,
    shown``,
    shown`waiting up to five minutes for the browser; Ctrl-C stops`,
  ]);
}

function said(io: Io, given: LoginFlags, server: McpAddress, status: Shown): number {
  const { name } = server;
  if (given.json === true) printJson(io, { name, reached: reachedBy(server), status });
  else if (given.quiet !== true)
    tell(io.stderr, shown`${status}: ${escapeText(name)} (${escapeText(reachedBy(server))})`);
  return 0;
}
