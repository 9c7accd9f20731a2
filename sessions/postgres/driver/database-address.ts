import { isLoopbackHost } from '../../../src/core/index.js';

/** The start of a server's address. */
export const SERVER = /^postgres(?:ql)?:\/\//;
/** The start of the address of a database in this process. */
export const FOLDER = 'pglite:';

/** The address as it may be shown: without password and settings. */
export function shownAddress(address: string): string {
  if (address.startsWith(FOLDER)) return address;
  if (!URL.canParse(address)) return 'postgres://…';
  const { hostname, port, pathname, username } = new URL(address);
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

/**
 * Security of a database connection: local; as its URL specifies; or verified by default, with the URL that
 * says so.
 */
export type Line =
  | { readonly type: 'here'; readonly address: string }
  | {
      readonly type: 'said' | 'verified';
      readonly address: string;
      readonly host: string;
      readonly mode: string;
    };

/** Determines the security of a database connection. @param otherwise host of a URL without one: `PGHOST` */
export function lineTo(address: string, otherwise: string | undefined): Line {
  if (address.startsWith(FOLDER) || !URL.canParse(address)) return { type: 'here', address };
  const { hostname, searchParams } = new URL(address);
  // The driver takes the last of each word, and a host among the words before that of the address.
  const named = searchParams.getAll('host').at(-1) ?? '';
  const host = decodeURIComponent(named === '' ? hostname : named) || (otherwise ?? '');
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return { type: 'here', address };
  const mode = searchParams.getAll('sslmode').at(-1) ?? '';
  if (mode !== '') return { type: 'said', address, host, mode };
  const verified = `${address}${address.includes('?') ? '&' : '?'}sslmode=verify-full`;
  return { type: 'verified', address: verified, host, mode: 'verify-full' };
}
