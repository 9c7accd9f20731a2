import type { ApprovalRequest } from '../../core/index.js';
import { NOT_BY_PATTERN, NOT_BY_STAR } from '../../core/index.js';

import { hostWarnings, isAddress, isOfKeys } from '../../outgoing/address-warnings.js';

/** Name of the detail with a host's addresses. */
const ADDRESSES = 'resolves to';

/**
 * Resolved only after approval: a lookup sends the name, with anything written into it, to a foreign server.
 */
const NOT_YET = 'Resolved after you approve. You are asked again if the address is local.';

/** Explains why a URL cannot be fetched; `undefined` if it can. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a web address';
  const { protocol, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `only http and https URLs can be fetched, not ${protocol}`;
  return host === '' ? 'has no host' : undefined;
}

/** The URL without user name and password, which are never sent. */
export function sendable(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** Creates the question before a URL is fetched: the host as the network sees it. */
export function urlRequest(text: string): ApprovalRequest {
  const url = new URL(text);
  const { host, hostname, protocol } = url;
  const ofHost = hostWarnings(hostname);
  const hasUser = url.username !== '' || url.password !== '';
  const warnings = [
    ...(hasUser ? ['the part before the @ is a user name, not the host; it is not sent'] : []),
    ...(/(^|\.)xn--/.test(hostname) ? ['the host uses letters that can look like others'] : []),
    ...(protocol === 'http:' ? ['not encrypted'] : []),
    ...ofHost,
  ];
  const facts = { host, address: sendable(text).href, ...notByHost(ofHost) };
  return { facts, ...(warnings.length > 0 && { warnings }) };
}

/** A rule matches a local host only if it names that host, and never a credentials service. */
function notByHost(warnings: readonly string[]): ApprovalRequest['facts'] {
  const [first] = warnings;
  if (first === undefined) return {};
  const keys = warnings.find(isOfKeys);
  return keys === undefined
    ? { [NOT_BY_STAR]: `ignored: this is ${first}` }
    : { [NOT_BY_PATTERN]: `ignored: this is ${keys}` };
}

/** Like `urlRequest`, with a note that the addresses are not known yet, unless the name shows them. */
export function firstRequest(text: string): ApprovalRequest {
  const request = urlRequest(text);
  const { hostname } = new URL(text);
  if (isAddress(hostname) || hostWarnings(hostname).length > 0) return request;
  return { ...request, facts: { ...request.facts, [ADDRESSES]: NOT_YET } };
}

/**
 * Creates the question that must have been asked once the addresses are known: with the addresses if they
 * need a warning that the name did not give.
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
      [ADDRESSES]: [...addresses].sort().join(' '),
      [NOT_BY_PATTERN]: `ignored: it leads to ${untold[0] ?? ''}`,
    },
    warnings: [...warnings, ...untold],
  };
}
