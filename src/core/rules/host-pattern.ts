/** Hosts that a rule is about. */
export interface HostPattern {
  /** As an address has it: lower case, with a port where it is no usual one. */
  readonly host: string;
  /** Every host below it, and not itself. */
  readonly below: boolean;
}

/** Reads `example.org`, `localhost:3000`, `*.example.org`; or says what is wrong. */
export function readHostPattern(text: string): HostPattern | string {
  const below = text.startsWith('*.');
  const name = below ? text.slice(2) : text;
  if (/^https?:/iu.test(name)) return `a rule names the host alone: \`${hostOf(name) ?? 'example.org'}\``;
  if (name.startsWith('domain:')) return `a rule names the host alone: \`${name.slice(7)}\``;
  if (name.includes('*')) return '`*` stands only in front: `*.example.org`';
  if (/[/@?#\\\s]/u.test(name)) return `\`${name}\` is no host`;
  const host = hostOf(`https://${name}`);
  if (host === undefined || !NAMED.test(host)) return `\`${name}\` is no host`;
  // Letters that look like others lead elsewhere; what is compared is the name as it is asked for.
  if (/[^!-~]/u.test(name))
    return `\`${name}\` is asked for as \`${host}\`; write that if it is the one you mean`;
  return { host, below };
}

/** Parts with a letter or digit each, or an address of the sixth version, and a port. */
const NAMED = /^(?:\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::\d+)?$/u;

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** True where a host is one of those. */
export function fitsHost(host: string, { host: wanted, below }: HostPattern): boolean {
  const given = host.toLowerCase().replace(/\.$/u, '');
  return below ? given.endsWith(`.${wanted}`) : given === wanted;
}
