import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { HitlError, durationText, escapeText, identify, messageOf, shown } from '../src/core/index.js';
import type { Access, HeaderFamily, Listening, Role, ServedAgent } from '../src/server/index.js';
import type { OfferFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io, LogForm } from './host/index.js';
import { logLines, ownerHere, tell, userName, version } from './host/index.js';
import { Signals } from './exit/signals.js';
import { checkKey, copyNotice, lineNotice, openStore, proofNotice, userKey } from './store/store.js';
import { servedQuestions } from './asking/served-questions.js';
import { keptServer } from './store/sign-ins.js';
import {
  createServer,
  isLoopback,
  listen,
  loopbackHosts,
  ownHost,
  readTokenFile,
  readRoles,
} from '../src/server/index.js';
import { textMeter } from '../src/telemetry/index.js';
import { beginSending, channelsInForce } from './channels/sending.js';
import { offeredTools } from './agent/offered-tools.js';

interface ServeFlags extends OfferFlags {
  /** Whether programs may start sessions of an agent; may also be the agent's name. */
  readonly agent?: boolean | string;
  /** Maximum number of the agent's sessions running at the same time. */
  readonly slots?: number;
  /** Time that runs have to finish after SIGTERM, in milliseconds. */
  readonly drain?: number;
  readonly port?: number;
  /** A local address, or `unix:/path`. */
  readonly listen?: string;
  readonly auth?: 'token-file' | 'oidc-proxy';
  readonly tokenFile?: string;
  readonly proxyHeaders?: HeaderFamily;
  readonly proxySecret?: string;
  readonly trustedProxy?: readonly string[];
  readonly roles?: readonly string[];
  readonly issuer?: string;
  readonly url?: string;
  readonly log?: LogForm;
}

/** Default port. */
const PORT = 4680;
const TOKEN_BYTES = 32;
const DRAIN_MS = 30_000;

/** `hitl serve`: serves web pages and an API for answering questions, until it is stopped. */
export async function serve(given: Io, flags: ServeFlags): Promise<number> {
  const { io, log } = logLines(given, flags.log);
  const meter = textMeter();
  const { port = PORT } = flags;
  const place = placeOf(flags);
  const isLocal = 'address' in place && isLoopback(place.address);
  const url = urlOf(flags, isLoopback);
  const access = await accessFor(io, flags, isLocal);
  if ('path' in place && url === undefined)
    throw new HitlError('USAGE', '--listen unix:… requires --url, the URL that people open', {
      hint: '--url https://hitl.example.org',
    });
  const inForce = await channelsInForce(io, flags);
  const store = openStore(io, flags);
  await checkKey(store);
  const copied = await copyNotice(store);
  await using agent = await agentFor(io, flags);
  const named = 'path' in place ? `unix:${place.path}` : `${hostOf(place.address)}:${port}`;
  const issuer = access.type === 'proxy' ? access.issuer : '';
  // A port that is free today is another server's tomorrow: nothing is kept for it.
  const kept = port === 0 ? undefined : await keptServer(io, flags, [access.type, issuer, named, url ?? '']);
  const over = new AbortController();
  const questions = servedQuestions(store, { secret: userKey(io), clock: io.clock }, over.signal);
  const listening = await listen(
    (bound) => {
      const host = 'path' in place ? undefined : `${hostOf(place.address)}:${bound}`;
      const own = kept && isLocal ? `http://${ownHost(kept.label, bound)}` : undefined;
      const origin = url ?? own ?? (isLocal || host === undefined ? undefined : `http://${host}`);
      return createServer({
        ...{ store, access, port: bound, clock: io.clock, version: version() },
        hosts: [...loopbackHosts(bound), ...(host === undefined ? [] : [host])],
        ...(origin !== undefined && { origin }),
        ...(kept !== undefined && { signIns: kept }),
        ...(agent !== undefined && { agent }),
        ...(questions !== undefined && { questions }),
        slack: inForce.slack,
        ...{ meter, log },
      });
    },
    { ...place, port },
  );
  const { drain: drainMs = DRAIN_MS } = flags;
  using signals = new Signals({
    clock: io.clock,
    interactive: false,
    drainMs: agent === undefined ? 0 : drainMs,
  });
  const sending = beginSending(io, inForce, {
    ...{ store, signal: over.signal, pages: url, meter },
    ownPages: listening.origin,
  });
  const proof = proofNotice(io, flags, store);
  say(io, flags, { access, listening, isLocal, told: inForce.channels.map(({ name }) => name) });
  const line = lineNotice(io, flags);
  if (line !== undefined && flags.quiet !== true) tell(io.stderr, line);
  if (proof !== undefined) tell(io.stderr, shown`${escapeText(proof)}\nhint: hitl store key`);
  if (copied !== undefined) tell(io.stderr, copied);
  await aborted(signals.drain);
  if (agent !== undefined && !signals.leave.aborted && flags.quiet !== true)
    tell(
      io.stderr,
      shown`serve: stopping; waiting up to ${escapeText(durationText(drainMs))} for running sessions (signal again to stop now)`,
    );
  await Promise.race([listening.drain(), aborted(signals.leave)]);
  over.abort();
  await listening.close();
  await sending;
  return 0;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

interface Serving {
  readonly access: Access;
  readonly listening: Listening;
  readonly isLocal: boolean;
  /** Receivers of notifications. */
  readonly told: readonly string[];
}

/** Returns the listening address: a local address or a Unix socket. @throws HitlError USAGE */
function placeOf({
  listen = '127.0.0.1',
}: ServeFlags): { readonly address: string } | { readonly path: string } {
  if (!listen.startsWith('unix:')) return { address: listen };
  const path = listen.slice('unix:'.length);
  if (path.startsWith('/')) return { path };
  throw new HitlError('USAGE', '--listen unix:… requires an absolute path', {
    hint: '--listen unix:/run/hitl/serve.sock',
  });
}

/** Formats an address as a URL host. */
function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

type LentAgent = ServedAgent & AsyncDisposable;

/** Creates the agent that the flags describe, with the active rules. @throws HitlError */
async function agentFor(io: Io, given: ServeFlags): Promise<LentAgent | undefined> {
  const { agent, slots, drain } = given;
  for (const [name, value] of Object.entries({ slots, drain }))
    if (agent === undefined && value !== undefined)
      throw new HitlError('USAGE', `--${name} requires --agent`);
  if (agent === undefined) return undefined;
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

/** Prints the link to stdout, and instructions and warnings to stderr. */
function say(io: Io, flags: ServeFlags, { access, listening, isLocal, told }: Serving): void {
  const { origin } = listening;
  const link = access.type === 'link' ? `${origin}/?token=${access.token}` : `${origin}/`;
  io.stdout.write(shown`${escapeText(link)}\n`);
  if (flags.quiet === true) return;
  const who =
    access.type === 'link'
      ? shown`Open this link to sign in (this computer only). Ctrl-C stops the server.`
      : shown`People sign in ${access.type === 'proxy' ? shown`through the proxy` : shown`with their tokens`}. Ctrl-C stops the server.`;
  tell(io.stderr, who);
  if (isLocal && origin.includes('.localhost:'))
    tell(io.stderr, shown`Programs call http://127.0.0.1:${listening.port} with a token.`);
  if (told.length > 0) tell(io.stderr, shown`Notifications go to: ${escapeText(told.join(', '))}`);
  if (!isLocal && !origin.startsWith('https:'))
    tell(io.stderr, shown`warning: traffic is not encrypted; use a TLS proxy and set --url https://…`);
}

/** The flags that belong to each sign-in method. A flag of a different method is rejected, not ignored. */
const FLAGS_OF = {
  'token-file': ['tokenFile'],
  'oidc-proxy': ['proxyHeaders', 'proxySecret', 'trustedProxy', 'roles', 'issuer'],
} as const;

const NAMES = {
  tokenFile: '--token-file',
  proxyHeaders: '--proxy-headers',
  proxySecret: '--proxy-secret',
  trustedProxy: '--trusted-proxy',
  roles: '--roles',
  issuer: '--issuer',
} as const;

/** Complete example of the proxy command, shown if required flags are missing. */
const PROXY_LINE =
  'hitl serve --auth oidc-proxy --proxy-headers x-auth-request --proxy-secret <file> --url https://hitl.example.org';

/** @throws HitlError USAGE, BAD_CONFIG */
async function accessFor(io: Io, flags: ServeFlags, isLocal: boolean): Promise<Access> {
  const { auth, tokenFile } = flags;
  for (const [way, names] of Object.entries(FLAGS_OF)) {
    const foreign = way === auth ? undefined : names.find((name) => flags[name] !== undefined);
    if (foreign !== undefined)
      throw new HitlError('USAGE', `${NAMES[foreign]} requires --auth ${way}`, {
        hint: way === 'oidc-proxy' ? PROXY_LINE : 'hitl serve --auth token-file --token-file people.txt',
      });
  }
  if (auth === 'oidc-proxy') return proxyFor(io, flags);
  if (auth === 'token-file') {
    if (tokenFile === undefined)
      throw new HitlError('USAGE', '--auth token-file requires --token-file <file>');
    return { type: 'tokens', people: readTokenFile(await ownText(resolve(io.cwd, tokenFile), 'token file')) };
  }
  if (!isLocal)
    throw new HitlError('USAGE', 'listening on a public address requires --auth', {
      hint: '--auth token-file --token-file <file>, or --auth oidc-proxy',
    });
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { type: 'link', token, name: userName(), ...ownerHere() };
}

/** @throws HitlError USAGE, BAD_CONFIG */
async function proxyFor(io: Io, flags: ServeFlags): Promise<Access> {
  const { proxyHeaders: headers, proxySecret, trustedProxy, issuer = 'proxy', url } = flags;
  const isSocket = 'path' in placeOf(flags);
  const missing = [
    ...(headers === undefined
      ? ['--proxy-headers, the set of headers that the proxy uses to identify users']
      : []),
    ...(proxySecret === undefined && !isSocket
      ? [
          '--proxy-secret (or --listen unix:…), because an address does not prove that a request comes from the proxy',
        ]
      : []),
    ...(url === undefined ? ['--url, the only host accepted behind a proxy'] : []),
  ];
  if (headers === undefined || missing.length > 0)
    throw new HitlError('USAGE', `--auth oidc-proxy requires ${missing.join('; ')}`, { hint: PROXY_LINE });
  if (isSocket && (proxySecret !== undefined || trustedProxy !== undefined))
    throw new HitlError(
      'USAGE',
      '--listen unix:… and --proxy-secret or --trusted-proxy cannot be used together',
      {
        hint: 'only the proxy can connect to the socket; leave out the other options',
      },
    );
  const odd = trustedProxy?.find((address) => isIP(address) === 0);
  if (odd !== undefined)
    throw new HitlError('USAGE', `invalid --trusted-proxy "${odd}": not an IP address`, {
      hint: '--trusted-proxy 10.0.0.7; repeat it for more, or leave it out (the secret is enough)',
    });
  const named = identify({ type: 'proxy', issuer, subject: 'somebody' });
  if (!named.ok || issuer === 'hitl serve')
    throw new HitlError('USAGE', `invalid --issuer "${issuer}"`, {
      hint: '--issuer https://login.example.org',
    });
  const roles = rolesOf(flags.roles ?? []);
  const proof =
    proxySecret === undefined
      ? ({ type: 'socket' } as const)
      : ({
          type: 'secret',
          secret: (await ownText(resolve(io.cwd, proxySecret), 'proxy secret')).trim(),
        } as const);
  return { type: 'proxy', headers, proof, issuer, roles, ...(trustedProxy && { trusted: trustedProxy }) };
}

/**
 * Parses the roles assigned to groups, for example `@ops=answer,read`. @throws HitlError USAGE, BAD_CONFIG
 */
function rolesOf(given: readonly string[]): ReadonlyMap<string, readonly Role[]> {
  const roles = new Map<string, readonly Role[]>();
  for (const text of given) {
    const [, group, list] = /^@([^\s,=@]+)=(\S+)$/u.exec(text) ?? [];
    if (group === undefined || list === undefined || roles.has(group))
      throw new HitlError('USAGE', `invalid --roles "${text}": must be one group and its roles`, {
        hint: '--roles @ops=answer,read --roles @bots=ask',
      });
    roles.set(group, readRoles(list, `in --roles ${text}`));
  }
  return roles;
}

/** Reads a secret from a file. Rejects a file that other users can read. @throws HitlError BAD_CONFIG */
async function ownText(file: string, what: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { mode } = await handle.stat();
    if ((mode & 0o077) !== 0)
      throw new HitlError('BAD_CONFIG', `the ${what} ${file} is readable by other users`, {
        hint: `chmod 600 ${file}`,
      });
    return await handle.readFile('utf8');
  } catch (cause) {
    if (cause instanceof HitlError) throw cause;
    throw new HitlError('BAD_CONFIG', `cannot read the ${what}: ${messageOf(cause)}`, { cause });
  }
}

/** @throws HitlError USAGE */
function urlOf({ url, auth }: ServeFlags, isLoopback: (host: string) => boolean): string | undefined {
  if (url === undefined) return undefined;
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^https?:$/u.test(read.protocol) || read.pathname !== '/' || read.search !== '')
    throw new HitlError(
      'USAGE',
      'invalid --url: must be a URL without a path, for example https://hitl.example.org',
    );
  if (auth !== 'oidc-proxy' && isLoopback(read.hostname))
    throw new HitlError(
      'USAGE',
      `invalid --url ${read.hostname}: its cookies would be sent to every port of this machine`,
      {
        hint: 'leave --url out, or use a separate name: --url http://hitl.localhost:4680',
      },
    );
  return read.origin;
}
