// Invariants:
// H1 The proxy proves itself, by its secret or by its Unix socket. An address is no proof: every process has one.
// H2 One family of headers names people. A request with a header of the other family, or with one of ours twice, is
//    refused: the proxy took neither away, so either may be what a client wrote.
import type { Identified } from '../../core/index.js';
import { HitlError, identify, isSameText, sha256 } from '../../core/index.js';
import { plainAddress } from './origin.js';
import type { HeaderFamily, ProxyAccess, Role } from './visitor.js';
import { LEAST } from './visitor.js';

/** The header in which a proxy proves its identity. */
const SECRET_HEADER = 'x-hitl-proxy-secret';

/** Address reported for connections through the Unix socket of `listen({ path })`. */
export const THROUGH_SOCKET = 'the Unix socket';

/** Headers of each family that describe a person, without their prefix. */
const PARTS = ['user', 'email', 'groups', 'preferred-username'] as const;

/** An incoming request. */
export interface Incoming {
  readonly headers: Headers;
  /** Remote address of the connection. */
  readonly address: string;
  /** Lower-case names of headers sent more than once, whose values `Headers` joins. */
  readonly repeated: readonly string[];
}

/** The person named by the proxy, or the reason that there is none. */
export type NamedByProxy =
  | (Identified & { readonly ok: true; readonly roles: readonly Role[] })
  | { readonly ok: false; readonly status: 401 | 403; readonly why: string };

/** Minimum length of a secret. Shorter ones can be guessed. */
const LEAST_SECRET = 32;

/**
 * Checks a proxy secret.
 * @throws HitlError BAD_CONFIG for a secret that is too short or contains invalid characters (H1)
 */
export function checkSecret(secret: string): void {
  if (secret.length >= LEAST_SECRET && /^[\x21-\x7e]+$/u.test(secret)) return;
  throw new HitlError(
    'BAD_CONFIG',
    `the proxy secret must have at least ${LEAST_SECRET} characters and no spaces`,
    { hint: '(umask 077; openssl rand -hex 32 > proxy-secret)' },
  );
}

/** Returns the person named by the proxy (H1, H2). */
export function namedByProxy({ headers, address, repeated }: Incoming, access: ProxyAccess): NamedByProxy {
  const { headers: family, issuer, trusted } = access;
  if (!isProxy({ headers, address, repeated }, access))
    return refused(403, `only the proxy may call this server: ${proofName(access)} is missing or wrong`);
  if (trusted !== undefined && !trusted.map(plainAddress).includes(plainAddress(address)))
    return refused(403, 'only the proxy may call this server: wrong address');
  if (headers.has('authorization')) return refused(403, 'tokens are not accepted behind a proxy');
  const other: HeaderFamily = family === 'x-forwarded' ? 'x-auth-request' : 'x-forwarded';
  const strange = PARTS.map((part) => `${other}-${part}`).find((name) => headers.has(name));
  if (strange !== undefined)
    return refused(403, `the proxy passed ${strange}, but this server reads ${family}-user`);
  const twice = PARTS.map((part) => `${family}-${part}`).find((name) => isTwice(name, headers, repeated));
  if (twice !== undefined) return refused(403, `the request has ${twice} more than once`);
  return personIn(headers, access, issuer);
}

function personIn(headers: Headers, { headers: family, roles }: ProxyAccess, issuer: string): NamedByProxy {
  const [subject, email, groups, login] = PARTS.map((part) => textOf(headers.get(`${family}-${part}`)));
  if (subject === undefined || subject === '') return refused(401, 'the proxy did not identify a user');
  const name = [email, login].find((one) => one !== undefined && one !== '');
  const proof = {
    ...({ type: 'proxy', issuer, subject } as const),
    ...(name !== undefined && { name }),
    groups: (groups ?? '').split(',').filter((group) => group.trim() !== ''),
  };
  const identified = identify(proof);
  if (!identified.ok) return refused(403, identified.why);
  const granted = identified.identity.groups.flatMap((group) => roles?.get(group) ?? []);
  return { ...identified, roles: granted.length === 0 ? LEAST : [...new Set(granted)] };
}

function isProxy({ headers, address, repeated }: Incoming, { proof }: ProxyAccess): boolean {
  if (proof.type === 'socket') return address === THROUGH_SOCKET;
  const given = headers.get(SECRET_HEADER);
  if (given === null) return false;
  // By their hashes, so that the time says nothing of how long the secret is.
  return !repeated.includes(SECRET_HEADER) && isSameText(sha256(given), sha256(proof.secret));
}

function proofName({ proof }: ProxyAccess): string {
  return proof.type === 'socket' ? 'Unix socket' : SECRET_HEADER;
}

/**
 * Whether a header was sent more than once. Groups are a comma-separated list in one header; in other
 * headers, a comma means that two were joined.
 */
function isTwice(name: string, headers: Headers, repeated: readonly string[]): boolean {
  const isJoined = !name.endsWith('-groups') && headers.get(name)?.includes(',') === true;
  return isJoined || repeated.includes(name);
}

/** Decodes the bytes of a header as UTF-8, which proxies use. Returns values in other encodings unchanged. */
function textOf(value: string | null): string | undefined {
  if (value === null) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1')).trim();
  } catch {
    return value.trim();
  }
}

function refused(status: 401 | 403, why: string): NamedByProxy {
  return { ok: false, status, why };
}
