import type { ApprovalRequest } from '../../core/index.js';
import { NOT_BY_PATTERN, NOT_BY_STAR } from '../../core/index.js';

import { hostWarnings, isAddress, isOfKeys } from '../../outgoing/address-warnings.js';

/** Name of the detail that lists the addresses of a host. */
const ADDRESSES = 'resolves to';

/**
 * Shown instead of the addresses before approval, because a lookup would send the name, and any data encoded
 * in it, to another server.
 */
const NOT_YET = 'Resolved after you approve. You are asked again if the address is local.';

/** Returns the reason that a URL cannot be fetched, or `undefined` if it can. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a valid URL';
  const { protocol, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `only http and https URLs can be fetched, not ${protocol}`;
  return host === '' ? 'has no host' : undefined;
}

/** Returns the URL without its user name and password, which are never sent. */
export function sendable(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** Creates the question asked before a URL is fetched. It shows the host in the form used on the network. */
export function urlRequest(text: string): ApprovalRequest {
  const url = new URL(text);
  const { host, hostname, protocol } = url;
  const ofHost = hostWarnings(hostname);
  const hasUser = url.username !== '' || url.password !== '';
  const warnings = [
    ...(hasUser ? ['the part before the @ is a user name, not the host; it is not sent'] : []),
    ...(/(^|\.)xn--/.test(hostname) ? ['the host contains letters that can look like others'] : []),
    ...(protocol === 'http:' ? ['not encrypted'] : []),
    ...ofHost,
  ];
  const facts = { host, address: sendable(text).href, ...notByHost(ofHost) };
  return { facts, ...(warnings.length > 0 && { warnings }) };
}

/**
 * Returns a detail that restricts rules: a rule matches a local host only if it names that host exactly, and
 * never matches a service that provides credentials.
 */
function notByHost(warnings: readonly string[]): ApprovalRequest['facts'] {
  const [first] = warnings;
  if (first === undefined) return {};
  const keys = warnings.find(isOfKeys);
  return keys === undefined
    ? { [NOT_BY_STAR]: `ignored: this is ${first}` }
    : { [NOT_BY_PATTERN]: `ignored: this is ${keys}` };
}

/**
 * Works like `urlRequest`, but adds a note that the addresses are not yet known, unless the host is an
 * address or is known to be local.
 */
export function firstRequest(text: string): ApprovalRequest {
  const request = urlRequest(text);
  const { hostname } = new URL(text);
  if (isAddress(hostname) || hostWarnings(hostname).length > 0) return request;
  return { ...request, facts: { ...request.facts, [ADDRESSES]: NOT_YET } };
}

/**
 * Creates the question for a URL whose addresses are known. The user must have approved this question. It
 * lists the addresses if they cause a warning that the name alone did not cause.
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
