// Servers of an attack where several people sign in: with tokens of a file, or behind a proxy that names them.
import type { Answered } from './doors.js';
import { Door, placeOf } from './doors.js';
import { premise } from './verdict.js';
import type { World } from './world.js';

/** The token of somebody. */
export const tokenOf = (name: string): string => name.padEnd(40, '-');
/** What a program sends that has it. */
export const as = (name: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${tokenOf(name)}`,
});

const ROLES = {
  ann: 'answer,read,say',
  ben: 'answer,read,say',
  bob: 'answer,read,say,begin',
  bot: 'ask',
} as const;

/** A server where people sign in with tokens of a file. */
export async function withTokens(
  world: World,
  flags: readonly string[] = [],
  people: readonly string[] = Object.keys(ROLES),
): Promise<Door> {
  const lines = Object.entries(ROLES).map(([name, roles]) => `${name} ${tokenOf(name)} roles=${roles}\n`);
  const file = world.write(
    'people.txt',
    lines.filter((line) => people.some((name) => line.startsWith(`${name} `))).join(''),
    0o600,
  );
  return Door.open(world, ['--auth', 'token-file', '--token-file', file, ...flags], 'People sign in');
}

/** The headers that a proxy names people with. */
export type Family = 'x-forwarded' | 'x-auth-request';

/** A server that believes a proxy. */
export interface Proxied {
  readonly door: Door;
  readonly port: string;
  /** What shows that a request comes from the proxy, for the host that it serves. */
  readonly proof: Readonly<Record<string, string>>;
  /** Somebody opens the page of the question that was asked last, and says yes there. */
  sayYes(session: string, headers: Readonly<Record<string, string>>): Promise<Answered>;
}

/** Starts a server behind a proxy of one family of headers. */
export async function behindProxy(world: World, family: Family): Promise<Proxied> {
  const secret = 's'.repeat(40);
  const port = String(20_000 + Math.floor(Math.random() * 20_000));
  const started = world.start([
    ...['serve', '--auth', 'oidc-proxy', '--proxy-headers', family, '--port', port],
    ...['--proxy-secret', world.write('secret', `${secret}\n`, 0o600), '--url', 'https://hitl.example.org'],
  ]);
  premise(await started.until('hitl.example.org'), `no server: ${started.stderr}`);
  const door = Door.at(world, `http://127.0.0.1:${port}`);
  const proof = { host: 'hitl.example.org', 'x-hitl-proxy-secret': secret };
  const sayYes = async (session: string, headers: Readonly<Record<string, string>>): Promise<Answered> => {
    const { id: interrupt, digest } = world.questionOf(session);
    const place = placeOf({ session, interrupt, digest });
    const page = await door.ask(place, { headers });
    const form = formOf(page.body);
    return door.ask(`${place}/answer`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form, digest, way: 'y' }).toString(),
    });
  };
  return { door, port, proof, sayYes };
}

/** What a proxy of a family says of somebody. */
export const named = (family: Family, user: string): Readonly<Record<string, string>> => ({
  [`${family}-user`]: user,
  [`${family}-email`]: `${user}@example.org`,
});

/** The token of a page's form; empty where it has none. */
export const formOf = (body: string): string => /name="form"\s+value="([^"]*)"/u.exec(body)?.[1] ?? '';
