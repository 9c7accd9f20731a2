import { isLoopbackHost } from '../../../src/core/index.js';

/** Matches the start of a database server URL. */
export const SERVER = /^postgres(?:ql)?:\/\//;
/** Start of the URL of an in-process database. */
export const FOLDER = 'pglite:';

/** Formats a URL for display, without its password and settings. */
export function shownAddress(address: string): string {
  if (address.startsWith(FOLDER)) return address;
  if (!URL.canParse(address)) return 'postgres://…';
  const { hostname, port, pathname, username } = new URL(address);
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

/**
 * Security of a database connection. `here`: a local connection. `said`: the mode is specified in the URL.
 * `verified`: the mode is not specified, so the connection is verified, and `address` is a URL that specifies
 * this.
 */
export type Line =
  | { readonly type: 'here'; readonly address: string }
  | {
      readonly type: 'said' | 'verified';
      readonly address: string;
      readonly host: string;
      readonly mode: string;
    };

/**
 * Determines the security of a database connection. @param otherwise the host to use for a URL without one:
 * `PGHOST`
 */
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
