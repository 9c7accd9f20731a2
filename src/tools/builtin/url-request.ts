import type { ApprovalRequest } from '../../core/index.js';
import { NOT_BY_PATTERN, NOT_BY_STAR } from '../../core/index.js';

import { hostWarnings, isAddress, isOfKeys } from '../../outgoing/address-warnings.js';

/** The fact that says which addresses a host has. */
const ADDRESSES = 'resolves to';

/**
 * Nobody knows them before a person agreed: who asks for the addresses of a name sends the name, with whatever was
 * written into it, to a stranger.
 */
const NOT_YET = 'Resolved after you approve. You are asked again if the address is local.';

/** Says why an address cannot be fetched; `undefined` where it can. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a web address';
  const { protocol, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `only http and https URLs can be fetched, not ${protocol}`;
  return host === '' ? 'has no host' : undefined;
}

/** The address without user name and password, which are never sent. */
export function sendable(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** Makes the question that must come before an address is fetched: the host as the network knows it. */
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

/** A rule means a host of this machine where it names that host; a service that gives out keys it never means. */
function notByHost(warnings: readonly string[]): ApprovalRequest['facts'] {
  const [first] = warnings;
  if (first === undefined) return {};
  const keys = warnings.find(isOfKeys);
  return keys === undefined
    ? { [NOT_BY_STAR]: `ignored: this is ${first}` }
    : { [NOT_BY_PATTERN]: `ignored: this is ${keys}` };
}

/** The same, and that the addresses of a name are not known yet, where its name does not tell where it leads. */
export function firstRequest(text: string): ApprovalRequest {
  const request = urlRequest(text);
  const { hostname } = new URL(text);
  if (isAddress(hostname) || hostWarnings(hostname).length > 0) return request;
  return { ...request, facts: { ...request.facts, [ADDRESSES]: NOT_YET } };
}

/**
 * Makes the question that must have been asked once the host's addresses are known: the same, and the addresses where
 * they are something to warn of that the name did not tell.
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
