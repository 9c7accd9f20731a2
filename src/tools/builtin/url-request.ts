import type { ApprovalRequest } from '../../core/index.js';
import { NOT_BY_PATTERN } from '../../core/index.js';

import { hostWarnings } from './address-warnings.js';

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
    ...hostWarnings(hostname),
  ];
  return { facts: { host, address: sendable(text).href }, ...(warnings.length > 0 && { warnings }) };
}

/**
 * What a person must have been asked once the host's addresses are known: the same, and the addresses where they are
 * something to warn of that the name did not tell.
 */
export function resolvedRequest(text: string, addresses: readonly string[]): ApprovalRequest {
  const request = urlRequest(text);
  const { facts, warnings = [] } = request;
  const found = new Set(addresses.flatMap(hostWarnings));
  const untold = [...found].filter((warning) => !warnings.includes(warning));
  if (untold.length === 0) return request;
  return {
    facts: {
      ...facts,
      'resolves to': [...addresses].sort().join(' '),
      [NOT_BY_PATTERN]: `do not count: it leads to ${untold[0] ?? ''}`,
    },
    warnings: [...warnings, ...untold],
  };
}
