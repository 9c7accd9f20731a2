import { HitlError } from '../data/errors.js';

// Invariants:
// C1 What is secret leaves this machine encrypted, or not at all, unless a person agreed: of a key, a password, and what
//    goes along with them, for whichever door. No word in an address agrees to it.

/** What would be sent, and where. */
export interface Sending {
  /** Content, in the refusal's words: `key and conversation`. */
  readonly what: string;
  /** The host and its port, as a person knows it. */
  readonly host: string;
  /** A name or an address, without a port. */
  readonly hostname: string;
  readonly isEncrypted: boolean;
}

/** Returns the refusal; `undefined` if sending is allowed (C1). */
export function clearProblem(
  { what, host, hostname, isEncrypted }: Sending,
  allowHttp: boolean | undefined,
): string | undefined {
  if (isEncrypted || allowHttp === true || isLoopbackHost(hostname)) return undefined;
  return `refusing to send ${what} to \`${host}\` unencrypted`;
}

/** How to allow it, or avoid the need. */
export const CLEAR_HINT =
  'use an encrypted address, or allow it: --allow-http, or `"allowHttp": true` in the configuration';

/** @throws HitlError BAD_CONFIG if it must not be sent (C1) */
export function checkClear(sending: Sending, allowHttp: boolean | undefined): void {
  const problem = clearProblem(sending, allowHttp);
  if (problem !== undefined) throw new HitlError('BAD_CONFIG', problem, { hint: CLEAR_HINT });
}

/** Extracts from a URL what `checkClear` needs. */
export function sendingTo({ protocol, host, hostname }: URL, what: string): Sending {
  return { what, host, hostname, isEncrypted: protocol === 'https:' };
}

/** Whether a host, as formatted by `URL`, is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[?::1\]?)$/iu.test(hostname);
}
