import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Returns the addresses of a host name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** Maximum number of addresses to show. Only the addresses shown are used. */
const MAX_ADDRESSES = 16;

/** Resolves names with the system's resolver. */
const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** Returns the addresses of a host. If the host is already an address, returns that address. */
export async function addressesOf(
  { hostname }: URL,
  find: Lookup = systemLookup,
): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  return (await find(name)).filter((address) => isIP(address) !== 0).slice(0, MAX_ADDRESSES);
}
