import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hmacSha256, HitlError, escapeText, messageOf, shown } from '../src/core/index.js';
import type { Access, Listening, ServedAgent } from '../src/server/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { modeOf } from './flags/index.js';
import type { Io } from './host/index.js';
import { tell, userName, version } from './host/index.js';
import { Signals } from './exit/index.js';
import { openStore, userKey } from './store/index.js';

interface ServeFlags extends CommonFlags, RunFlags {
  /** Programs may begin sessions of an agent; it may have a name. */
  readonly agent?: boolean | string;
  /** The number of its sessions that run at the same time. */
  readonly slots?: number;
  readonly port?: number;
  /** An address of this machine. */
  readonly listen?: string;
  readonly auth?: string;
  readonly tokenFile?: string;
  readonly trustedProxy?: readonly string[];
  readonly issuer?: string;
  readonly url?: string;
}

/** The port where nothing else is said. */
const PORT = 4680;
const TOKEN_BYTES = 32;

/** `hitl serve`: pages and an interface by which people and programs answer, until it is stopped. */
export async function serve(io: Io, _args: readonly unknown[], flags: ServeFlags): Promise<number> {
  const { createServer, isLoopback, listen, loopbackHosts } = await import('../src/server/index.js');
  const { port = PORT, listen: address = '127.0.0.1' } = flags;
  const access = await accessFor(io, flags, isLoopback(address));
  const { beginSending, channelsInForce } = await import('./channels/index.js');
  const inForce = await channelsInForce(io, flags);
  const store = await openStore(io, flags);
  const origin = originOf(flags.url);
  await using agent = await agentFor(io, flags);
  const listening = await listen(
    (bound) =>
      createServer({
        ...{ store, access, port: bound, clock: io.clock, version: version() },
        hosts: [
          ...loopbackHosts(bound),
          `${address}:${bound}`,
          ...(origin === undefined ? [] : [new URL(origin).host]),
        ],
        ...(origin !== undefined && { origin }),
        ...(agent !== undefined && { agent }),
        slack: inForce.slack,
        ...(access.type !== 'link' && { secret: Buffer.from(hmacSha256(userKey(io), 'hitl serve')) }),
      }),
    { address, port },
  );
  using signals = new Signals({ clock: io.clock, interactive: false });
  const ownPages = placeOf({ listening, address, origin });
  const sending = beginSending(io, inForce, { store, signal: signals.leave, pages: origin, ownPages });
  say(io, flags, { access, listening, address, origin, told: inForce.channels.map(({ name }) => name) });
  if (!signals.leave.aborted)
    await new Promise((leave) => {
      signals.leave.addEventListener('abort', leave, { once: true });
    });
  await listening.close();
  await sending;
  return 0;
}

interface Serving {
  readonly access: Access;
  readonly listening: Listening;
  readonly address: string;
  readonly origin: string | undefined;
  /** The receivers that are told of questions. */
  readonly told: readonly string[];
}

/** The beginning of the addresses of our pages. */
function placeOf({ listening: { port }, address, origin }: Omit<Serving, 'access' | 'told'>): string {
  return origin ?? `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

type LentAgent = ServedAgent & AsyncDisposable;

/** The agent that the flags name, under the rules in force here. @throws HitlError */
async function agentFor(io: Io, given: ServeFlags): Promise<LentAgent | undefined> {
  const { agent, slots } = given;
  if (agent === undefined && slots !== undefined)
    throw new HitlError('USAGE', '--slots goes with --agent: nothing runs here without it');
  if (agent === undefined) return undefined;
  const { offeredTools } = await import('./agent/index.js');
  const offered = await offeredTools(io, given, { ...modeOf(io, given), interactive: false });
  const { set, model, config } = offered;
  return {
    ...{ model, tools: set },
    ...(slots !== undefined && { slots }),
    ...(typeof agent === 'string' && { name: agent }),
    ...(config.system !== undefined && { system: config.system }),
    [Symbol.asyncDispose]: () => offered[Symbol.asyncDispose](),
  };
}

/** The link goes to stdout, for whoever opens it; it is said once. */
function say(io: Io, flags: ServeFlags, serving: Serving): void {
  const { access, told } = serving;
  const place = placeOf(serving);
  const link = access.type === 'link' ? `${place}/?token=${access.token}` : `${place}/`;
  io.stdout.write(shown`${escapeText(link)}\n`);
  if (flags.quiet === true) return;
  const who =
    access.type === 'link'
      ? shown`the link signs you in, on this machine alone; Ctrl-C ends it`
      : shown`people sign in by ${access.type === 'proxy' ? shown`the proxy` : shown`their tokens`}; Ctrl-C ends it`;
  tell(io.stderr, who);
  if (told.length > 0) tell(io.stderr, shown`questions are sent to: ${escapeText(told.join(', '))}`);
  if (access.type !== 'link' && !place.startsWith('https:'))
    tell(
      io.stderr,
      shown`hint: what is sent can be read on the way: put a proxy with TLS in front, and name it with --url https://…`,
    );
}

/** @throws HitlError USAGE, BAD_CONFIG */
async function accessFor(io: Io, flags: ServeFlags, isLocal: boolean): Promise<Access> {
  const { auth, tokenFile, trustedProxy = [], issuer } = flags;
  if (auth === undefined) {
    if (tokenFile !== undefined || trustedProxy.length > 0)
      throw new HitlError('USAGE', '--token-file and --trusted-proxy go with --auth', {
        hint: '--auth token-file, or --auth oidc-proxy',
      });
    if (!isLocal)
      throw new HitlError('USAGE', 'who listens beyond this machine has to know who comes', {
        hint: '--auth token-file --token-file <file>, or --auth oidc-proxy --trusted-proxy <address>',
      });
    return { type: 'link', token: randomBytes(TOKEN_BYTES).toString('base64url'), name: userName() };
  }
  if (auth === 'token-file') {
    if (tokenFile === undefined) throw new HitlError('USAGE', '--auth token-file needs --token-file <file>');
    if (trustedProxy.length > 0)
      throw new HitlError('USAGE', '--trusted-proxy goes with --auth oidc-proxy, and never beside tokens');
    return { type: 'tokens', people: await peopleIn(resolve(io.cwd, tokenFile)) };
  }
  if (tokenFile !== undefined)
    throw new HitlError('USAGE', '--token-file goes with --auth token-file, and never beside a proxy');
  if (trustedProxy.length === 0)
    throw new HitlError('USAGE', '--auth oidc-proxy needs --trusted-proxy <address>', {
      hint: 'whoever else could reach the server could name anybody',
    });
  return { type: 'proxy', trusted: trustedProxy, issuer: issuer ?? 'proxy' };
}

/** Tokens in a file that others may read are everybody's. @throws HitlError BAD_CONFIG */
async function peopleIn(file: string): Promise<(Access & { readonly type: 'tokens' })['people']> {
  const { readTokenFile } = await import('../src/server/index.js');
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0)
      throw new HitlError('BAD_CONFIG', `others may read ${file}`, { hint: `chmod 600 ${file}` });
    return readTokenFile(await readFile(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause)
      throw new HitlError('BAD_CONFIG', `the token file cannot be read: ${messageOf(cause)}`, { cause });
    throw cause;
  }
}

/** @throws HitlError USAGE */
function originOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read !== undefined && /^https?:$/u.test(read.protocol) && read.pathname === '/') return read.origin;
  throw new HitlError('USAGE', '--url must be an address without a path, such as https://hitl.example.org');
}
