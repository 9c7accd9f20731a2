import { SERVER, shownAddress } from '../../sessions/postgres/driver/database-address.js';
import { HitlError } from '../../src/core/index.js';
import type { Io } from '../host/index.js';

/** Flags that select the store. */
export interface PlaceFlags {
  readonly sessions?: string;
  readonly store?: string;
}

/**
 * Returns the database URL, or `undefined` for a folder. A flag overrides an environment variable, even if
 * the two specify different kinds of store.
 * @throws HitlError USAGE
 */
export function storeAddress({ env }: Pick<Io, 'env'>, flags: PlaceFlags): string | undefined {
  if (flags.sessions !== undefined && flags.store !== undefined) {
    throw new HitlError('USAGE', '--sessions and --store cannot be used together', {
      hint: 'leave one of them out',
    });
  }
  const address = flags.store ?? (flags.sessions === undefined ? env['HITL_STORE'] : undefined);
  if (address === undefined || address === '') return undefined;
  if (SERVER.test(address)) return address;
  throw new HitlError('USAGE', 'not a PostgreSQL URL', {
    hint: 'use postgres://user@host/database; for a folder use --sessions',
  });
}

/**
 * Returns the database URL for locks, which bypasses the connection pooler; `undefined` if it is not set.
 * @throws HitlError BAD_CONFIG
 */
export function locksAddress({ env }: Pick<Io, 'env'>): string | undefined {
  const address = env['HITL_STORE_LOCKS'] ?? '';
  if (address === '') return undefined;
  if (SERVER.test(address)) return address;
  throw new HitlError('BAD_CONFIG', 'HITL_STORE_LOCKS is not a database URL', {
    hint: 'use postgres://user@host/database: the same database as HITL_STORE, without a pooler',
  });
}

/**
 * Matches the scheme of a URL. At least two letters are required, because one letter may be a Windows drive.
 */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/** Parses the argument for a store, which is a database URL or a folder. */
export function placeOf(word: string): PlaceFlags {
  return SCHEME.test(word) ? { store: word } : { sessions: word };
}

/** Formats the database URL for `hitl config`, without its password. */
export function shownStore(io: Pick<Io, 'env'>, flags: PlaceFlags): { readonly value?: string } {
  return shownIf(storeAddress(io, flags));
}

/** Formats the database URL for locks, for `hitl config`. */
export function shownLocks(io: Pick<Io, 'env'>): { readonly value?: string } {
  return shownIf(locksAddress(io));
}

function shownIf(address: string | undefined): { readonly value?: string } {
  return address === undefined ? {} : { value: shownAddress(address) };
}
