/** Methods that change nothing. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a request may change something. */
export function isUnsafe({ method }: Pick<Request, 'method'>): boolean {
  return !SAFE.includes(method);
}

/**
 * Whether another site may have caused the request. Browsers report it directly; older ones send only the
 * origin, and programs neither.
 */
export function isForeign(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin';
  const origin = headers.get('origin');
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')?.toLowerCase();
}

/** Whether a page fetched it, instead of a person navigating there, as browsers report. */
export function isFetched({ headers }: Pick<Request, 'headers'>): boolean {
  const mode = headers.get('sec-fetch-mode');
  return mode !== null && mode !== 'navigate';
}

/**
 * Returns a host name of the server's own on this machine, because browsers separate cookies by host but not by port.
 * Names below `localhost` lead to this machine (RFC 6761); this one is unique.
 */
export function ownHost(label: string, port: number): string {
  return `${label}.localhost:${port}`;
}

/** Returns the hosts by which programs call a server on this machine. */
export function loopbackHosts(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
}

/** Normalizes an IPv4 address in IPv6 form. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/iu, '');
}

/** Whether no other machine can reach an address. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address).replace(/^\[|\]$/gu, '');
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(plain);
}
