import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Finds the addresses of a host by its name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** Maximum number of addresses that are shown, and so used. */
const MAX_ADDRESSES = 16;

/** Resolves names like any program on this machine. */
const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** The addresses of a host; of one that is named by its address, that one. */
export async function addressesOf(
  { hostname }: URL,
  find: Lookup = systemLookup,
): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  return (await find(name)).filter((address) => isIP(address) !== 0).slice(0, MAX_ADDRESSES);
}
