/** The hosts that a rule matches. */
export interface HostPattern {
  /** The host as it appears in a URL, in lower case and with the port of the rule. */
  readonly host: string;
  /** Whether the rule matches all subdomains of this host, but not the host itself. */
  readonly below: boolean;
}

/**
 * Parses `example.org`, `localhost:3000` or `*.example.org`. Returns the problem as a string if the text is
 * invalid.
 */
export function readHostPattern(text: string): HostPattern | string {
  const below = text.startsWith('*.');
  const name = below ? text.slice(2) : text;
  if (/^https?:/iu.test(name)) return `write only the host: \`${hostOf(name) ?? 'example.org'}\``;
  if (name.startsWith('domain:')) return `write only the host: \`${name.slice(7)}\``;
  if (name.includes('*')) return '`*` can only be at the start: `*.example.org`';
  if (/[/@?#\\\s]/u.test(name)) return `\`${name}\` is no host`;
  // An address leaves out the port that is usual for it; a rule keeps the one that it names.
  const host = hostOf(`${name.endsWith(':443') ? 'http' : 'https'}://${name}`);
  if (host === undefined || !NAMED.test(host)) return `\`${name}\` is no host`;
  // Letters that look like others lead elsewhere, and so does a number; what is compared is the host as it is asked for.
  if (/[^!-~]/u.test(name) || isNumberInDisguise(name, host))
    return `\`${name}\` is requested as \`${host}\`; if you mean that host, write it that way`;
  return { host, below };
}

/** Whether a name is an IP address in an unusual notation: `2` is 0.0.0.2, and `127.1` is 127.0.0.1. */
function isNumberInDisguise(name: string, host: string): boolean {
  return /^\d+(?:\.\d+){3}(?::|$)/u.test(host) && !name.startsWith(host.replace(/:\d+$/u, ''));
}

/** Matches a host name or an IPv6 address, with an optional port. */
const NAMED = /^(?:\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::\d+)?$/u;

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/**
 * Whether a host matches a pattern. An allow rule matches only that host and port. A deny or ask rule without
 * a port matches every port, and a deny or ask rule for this machine matches all names of the machine.
 */
export function fitsHost(host: string, { host: wanted, below }: HostPattern, allows: boolean): boolean {
  const [given, rule] = [namedHost(host), namedHost(wanted)];
  const isName = below
    ? given.name.endsWith(`.${rule.name}`)
    : given.name === rule.name || (!allows && isThisMachine(given.name) && isThisMachine(rule.name));
  return isName && fitsPort(given.port, rule.port, allows);
}

function fitsPort(given: string, wanted: string, allows: boolean): boolean {
  if (given === wanted || (!allows && wanted === '')) return true;
  const usual = given === '' ? wanted : wanted === '' ? given : '';
  return usual === '443' || (!allows && usual === '80' && given === '');
}

/**
 * Normalizes a host: converts it to lower case, removes a trailing dot, and writes numeric addresses as in a
 * URL.
 */
function namedHost(text: string): { readonly name: string; readonly port: string } {
  const [, name = '', port = ''] = /^(.*?)(?::(\d+))?$/su.exec(text.trim()) ?? [];
  const canonical = URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : name;
  return {
    name: mappedAddress(canonical.toLowerCase().replace(/\.+$/u, '')),
    port: port.replace(/^0+(?=\d)/u, ''),
  };
}

/** Converts an IPv4-mapped IPv6 address to IPv4. Returns any other name unchanged. */
function mappedAddress(name: string): string {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/u.exec(name) ?? [];
  if (high === undefined || low === undefined) return name;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

/** Whether a name or address refers to the local machine. */
function isThisMachine(name: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/u.test(name);
}
