import { HitlError } from '../data/errors.js';

// Invariants:
// C1 What is secret leaves this machine encrypted, or not at all, unless a person agreed: of a key, a password, and what
//    goes along with them, for whichever door. No word in an address agrees to it.

/** The content to send and its destination. */
export interface Sending {
  /** Description of the content for the error message: `key and conversation`. */
  readonly what: string;
  /** The host and port, as shown to the user. */
  readonly host: string;
  /** Host name or IP address, without a port. */
  readonly hostname: string;
  readonly isEncrypted: boolean;
}

/** Returns the reason that content must not be sent; `undefined` if it may be sent (C1). */
export function clearProblem(
  { what, host, hostname, isEncrypted }: Sending,
  allowHttp: boolean | undefined,
): string | undefined {
  if (isEncrypted || allowHttp === true || isLoopbackHost(hostname)) return undefined;
  return `refusing to send ${what} to \`${host}\` unencrypted`;
}

/** Hint that tells the user how to avoid or allow an unencrypted connection. */
export const CLEAR_HINT =
  'use an encrypted connection, or allow it: --allow-http, or `"allowHttp": true` in the configuration';

/**
 * Checks that content may be sent.
 * @throws HitlError BAD_CONFIG if it must not be sent (C1)
 */
export function checkClear(sending: Sending, allowHttp: boolean | undefined): void {
  const problem = clearProblem(sending, allowHttp);
  if (problem !== undefined) throw new HitlError('BAD_CONFIG', problem, { hint: CLEAR_HINT });
}

/** Extracts the information that `checkClear` needs from a URL. */
export function sendingTo({ protocol, host, hostname }: URL, what: string): Sending {
  return { what, host, hostname, isEncrypted: protocol === 'https:' };
}

/** Whether a host, as formatted by `URL`, is the local machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[?::1\]?)$/iu.test(hostname);
}
