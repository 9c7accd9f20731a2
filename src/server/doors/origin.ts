/** Methods that do not change anything. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a request may change something. */
export function isUnsafe({ method }: Pick<Request, 'method'>): boolean {
  return !SAFE.includes(method);
}

/**
 * Whether the request may have been caused by another site. Current browsers report this directly. Older ones
 * send only the origin, and programs send neither.
 */
export function isForeign(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin';
  const origin = headers.get('origin');
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')?.toLowerCase();
}

/** Whether the browser reports that a page fetched the resource, rather than a user navigating to it. */
export function isFetched({ headers }: Pick<Request, 'headers'>): boolean {
  const mode = headers.get('sec-fetch-mode');
  return mode !== null && mode !== 'navigate';
}

/**
 * Returns a separate host name for this server on this machine, because browsers separate cookies by host but
 * not by port. Names below `localhost` resolve to this machine (RFC 6761), and this name is unique.
 */
export function ownHost(label: string, port: number): string {
  return `${label}.localhost:${port}`;
}

/** Returns the hosts that programs can use to call a server on this machine. */
export function loopbackHosts(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
}

/** Normalizes an IPv4 address written in IPv6 form. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/iu, '');
}

/** Whether an address is a loopback address, which other machines cannot reach. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address).replace(/^\[|\]$/gu, '');
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(plain);
}
