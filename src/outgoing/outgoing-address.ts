// Invariants:
// A1 Only `https`, or `http` to this machine where its address is listed.
// A3 A server that a person named is where they said: at a private address where its name says so, and by `http`. A name
//    that looks public and leads into a private network is refused.
// A2 No address of a private network, of this machine or of a cloud's key service, unless it is listed.
import { BlockList, isIP } from 'node:net';

import { hostWarnings } from './address-warnings.js';

/** The addresses allowed for outgoing connections. */
export interface AddressRule {
  /** Private addresses and ranges that are allowed, for example `127.0.0.1` or `10.1.0.0/16`. */
  readonly allow: readonly string[];
  /**
   * Host of a server that the user specified. `http` is allowed for this host. If it is a local host, its
   * private addresses are allowed too.
   */
  readonly named?: string;
}

/** Describes the first invalid address or range in a list; `undefined` if all are valid. */
export function rangesProblem(ranges: readonly string[]): string | undefined {
  const wrong = ranges.find((range) => rangeOf(range) === undefined);
  return wrong === undefined ? undefined : `invalid address or range \`${wrong}\` (example: 10.1.0.0/16)`;
}

/**
 * Returns the reason that a URL is refused regardless of its network address; `undefined` if the decision
 * depends on that address.
 */
export function urlProblem(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https is allowed';
  if (url.username !== '' || url.password !== '') return 'a URL must not contain a user name or password';
  return undefined;
}

/** Returns the reason that a network address is refused; `undefined` if it is allowed. */
export function addressProblem(address: string, url: URL, rule: AddressRule): string | undefined {
  const family = familyOf(address);
  const isNamed = url.hostname === rule.named;
  if (isNamed && hostWarnings(url.hostname).length > 0) return undefined; // A3
  const isListed = listOf(rule.allow).check(address, family);
  if (isNamed && url.protocol === 'http:' && hostWarnings(address).length === 0) return undefined; // A3
  if (url.protocol === 'http:' && !(isListed && LOOPBACK.check(address, family)))
    return 'only https is allowed (http only for a listed address on this machine)'; // A1
  if (!isListed && (isIP(address) === 0 || hostWarnings(address).length > 0))
    return `${address} is a private network address that is not listed`; // A2
  return undefined;
}

const LOOPBACK = listOf(['127.0.0.0/8', '::1']);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const read = rangeOf(range);
    if (read !== undefined) list.addSubnet(read.start, read.bits, familyOf(read.start));
  }
  return list;
}

function rangeOf(range: string): { readonly start: string; readonly bits: number } | undefined {
  const [start = '', given, ...more] = range.split('/');
  const most = isIP(start) === 4 ? 32 : 128;
  const bits = given === undefined ? most : /^\d{1,3}$/u.test(given) ? Number(given) : -1;
  return isIP(start) !== 0 && more.length === 0 && bits >= 0 && bits <= most ? { start, bits } : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
