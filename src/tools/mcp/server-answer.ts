import type { CallToolResult, InputRequiredResult, Progress } from '@modelcontextprotocol/client';
import type { Clock } from '../../core/index.js';
import { HitlError, messageOf, toWellFormed } from '../../core/index.js';
import { CUT_OFF } from './wire/address-fetch.js';
import { loadSdk } from './wire/mcp-sdk.js';

/** A reply from a server: the result of a tool, or requests that must be answered first. */
export type ServerAnswer =
  | { readonly type: 'gave'; readonly result: CallToolResult }
  | { readonly type: 'asks'; readonly result: InputRequiredResult };

/** Whether an error is a reply from the server. If so, the server did not carry out the request. */
export async function isAnswer(thrown: unknown): Promise<boolean> {
  const { ProtocolError, SdkHttpError } = await loadSdk();
  if (thrown instanceof SdkHttpError) return thrown.status >= 400 && thrown.status < 500;
  return thrown instanceof ProtocolError;
}

/** Whether an error has this code. */
export function hasCode(thrown: unknown, code: string | number): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/** Whether a reply was cut off, in which case the server may have carried out the request. */
export function isCutOff(thrown: unknown): boolean {
  return hasCode(thrown, CUT_OFF);
}

/** Whether a reply arrived but is invalid. */
export function isNoResult(thrown: unknown): boolean {
  return hasCode(thrown, 'INVALID_RESULT') || hasCode(thrown, 'UNSUPPORTED_RESULT_TYPE');
}

/**
 * Whether a server no longer knows the session, for example because it was restarted. A new connection is
 * then needed.
 */
export function isUnknownSession(thrown: unknown): boolean {
  return answerIn(thrown).status === 404;
}

/** Explains why a reply is missing. The text is worded to follow the name of the server. */
export function lostWords(thrown: unknown): string {
  const told = messageOf(thrown);
  if (hasCode(thrown, 'CLIENT_HTTP_UNEXPECTED_CONTENT'))
    return `answered with ${cut(told.replace(/^.*content type: /u, ''), LONGEST_LOST)} instead of a message`;
  const { status, text } = answerIn(thrown);
  if (status !== undefined) {
    const said = text.replace(PAGE, ' an HTML page').trim();
    return `answered with HTTP ${status}${said === '' ? '' : `: ${cut(said, LONGEST_LOST)}`}`;
  }
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const why = cause === undefined ? told : messageOf(cause);
  if (why.includes('redirect')) return 'answered with a redirect, which is not followed';
  if (/more than \d+ MB/u.test(why)) return why.replace(/^it /u, '');
  return 'ended during the call';
}

/** Returns the HTTP status and the text of the response in an SDK error. */
function answerIn(thrown: unknown): { readonly status?: number; readonly text: string } {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number')
    return { text: '' };
  const data: unknown = 'data' in thrown ? thrown.data : undefined;
  const isTold = typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string';
  return { status: thrown.status, text: isTold ? String(data.text) : '' };
}

/** Maximum number of characters of an invalid reply to show. */
const LONGEST_LOST = 200;

/** Maximum number of characters of a failure message to show. */
const LONGEST_FAILURE = 4_000;

/** Returns text from a server, shortened if it is long. */
export function cut(text: string, longest = LONGEST_FAILURE): string {
  return text.length > longest ? toWellFormed(`${text.slice(0, longest)}…`) : text;
}

/** Matches an HTML page and everything after its start. It is not shown, because it is meant for browsers. */
const PAGE = /\s*<(?:!doctype|html|head|body|\?xml)\b[^]*$/iu;

/**
 * Returns the reason that a server could not be reached, on one line. A server that refuses messages at its
 * URL may support only the 2024-11-05 transport, which uses two URLs.
 */
export async function refusalWords(thrown: unknown): Promise<string> {
  const { SdkHttpError } = await loadSdk();
  if (!(thrown instanceof SdkHttpError)) return cut(messageOf(thrown).replace(PAGE, ' an HTML page'));
  const { status } = thrown;
  const said = `it answered with HTTP ${status}`;
  const mayBeOlder = status === 400 || status === 404 || status === 405;
  return mayBeOlder ? `${said}; streamable HTTP is supported, HTTP+SSE (2024-11-05) is not` : said;
}

/** Shortens an error from a server. Long messages are cut, and HTML pages are removed. */
export function shortened(thrown: unknown): unknown {
  const message = messageOf(thrown);
  if (PAGE.test(message)) return new HitlError('TOOL_FAILED', cut(message.replace(PAGE, ' an HTML page')));
  return message.length > LONGEST_FAILURE ? new HitlError('TOOL_FAILED', cut(message)) : thrown;
}

/** Minimum time between progress updates, in milliseconds, and maximum length of a message, in characters. */
const PROGRESS_MS = 50;
const LONGEST_PROGRESS = 200;

/**
 * Returns a function that reports the progress of a call at a readable rate. The message comes from the
 * server.
 */
export function progressTeller(tell: (text: string) => void, clock: Clock): (step: Progress) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = clock.now();
    if (now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    const far = total === undefined ? String(progress) : `${progress} of ${total}`;
    tell(message === undefined ? far : cut(`${far}: ${message}`, LONGEST_PROGRESS));
  };
}
