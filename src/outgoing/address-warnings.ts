import { BlockList, isIP } from 'node:net';

const LOCAL = 'a host on this machine or its local network';
const KEYS = 'the cloud metadata service, which can return credentials';

/** Address ranges that never belong to a public host. */
const localAddresses = blocks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  // Unique local, link-local, site-local, to many; the last two hide an address of another network.
  ...['::/128', '::1/128', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', '64:ff9b:1::/48', '2001::/32'],
]);

const keyServices = blocks([
  ...['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', '100.100.100.200/32', '192.0.0.192/32'],
  ...['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128'],
]);

/** IPv6 prefixes that embed an IPv4 address, each with the index of the group where that address starts. */
const embeddings = [
  { isFrom: blocks(['::ffff:0:0/96', '::/96', '64:ff9b::/96']), group: 6 },
  { isFrom: blocks(['2002::/16']), group: 1 },
];

/**
 * Lists warnings about a host before connecting. A host name is not resolved; only the name itself is
 * checked.
 */
export function hostWarnings(host: string): readonly string[] {
  const name = bareHost(host);
  if (isIP(name) !== 0) return addressWarnings(name);
  const isLocal = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/.test(name) || !name.includes('.');
  return [...(isLocal ? [LOCAL] : []), ...(name.startsWith('metadata.') && isLocal ? [KEYS] : [])];
}

/** Whether a warning concerns a credentials service. */
export function isOfKeys(warning: string): boolean {
  return warning === KEYS;
}

/** Whether the host is an IP address. */
export function isAddress(host: string): boolean {
  return isIP(bareHost(host)) !== 0;
}

function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function addressWarnings(address: string): readonly string[] {
  const all = [address, ...embeddedIn(address)];
  return [...(all.some(localAddresses) ? [LOCAL] : []), ...(all.some(keyServices) ? [KEYS] : [])];
}

function embeddedIn(address: string): readonly string[] {
  if (isIP(address) !== 6) return [];
  const found = embeddings.find(({ isFrom }) => isFrom(address));
  if (found === undefined) return [];
  const [high = 0, low = 0] = groupsOf(address).slice(found.group);
  return [[high >> 8, high & 255, low >> 8, low & 255].join('.')];
}

/** Returns the eight groups of an IPv6 address as numbers. */
function groupsOf(address: string): readonly number[] {
  // The parser of addresses in URLs writes every address in one way, without dots.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/**
 * Returns a function that checks whether an address is in one of the ranges. The ranges are parsed on first
 * use, because most runs never connect to anything.
 */
function blocks(ranges: readonly string[]): (address: string) => boolean {
  let list: BlockList | undefined;
  return (address) => {
    list ??= listOf(ranges);
    return list.check(address.replace(/%.*$/, ''), family(address));
  };
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits = ''] = range.split('/');
    list.addSubnet(start, Number(bits), family(start));
  }
  return list;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
