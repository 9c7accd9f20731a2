import { isIP } from 'node:net';

import type { ApprovalRequest } from '../../core/index.js';

/** Why an address cannot be fetched; `undefined` where it can. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a web address';
  const { protocol, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `${protocol} addresses are not fetched, only http and https`;
  return host === '' ? 'has no host' : undefined;
}

/** The address without user name and password, which are never sent. */
export function sendable(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** What a person is asked before an address is fetched: the host as the network knows it. */
export function urlRequest(text: string): ApprovalRequest {
  const url = new URL(text);
  const { host, hostname, protocol } = url;
  const hasUser = url.username !== '' || url.password !== '';
  const warnings = [
    ...(hasUser ? ['what stands before the @ is a user name, not the host; it is not sent'] : []),
    ...(/(^|\.)xn--/.test(hostname) ? ['the host is written in letters that may look like others'] : []),
    ...(protocol === 'http:' ? ['not encrypted'] : []),
    ...(isLocal(hostname) ? ['a host of this machine or of its own network'] : []),
  ];
  return { facts: { host, address: sendable(text).href }, ...(warnings.length > 0 && { warnings }) };
}

/** By its name only: a name that resolves to such an address is not found out. */
function isLocal(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (
    /(^|\.)(localhost|local|internal|lan|home\.arpa)$/.test(name) ||
    (isIP(name) === 0 && !name.includes('.'))
  )
    return true;
  if (isIP(name) === 4)
    return /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      name,
    );
  return isIP(name) === 6 && /^(::|f[cd]|fe[89ab])/.test(name);
}
