import type { SessionId } from '../core/index.js';
import { isJsonArray, isSessionId, parseStrictJson } from '../core/index.js';

/** The question that a button is about. */
export interface ClickedQuestion {
  readonly session: SessionId;
  readonly interrupt: string;
  readonly digest: string;
}

/** Characters that a button may carry. */
const MOST = 2_000;

/** The value of a button; `undefined` where it would be too long. */
export function slackValue({ session, interrupt, digest }: ClickedQuestion): string | undefined {
  const value = JSON.stringify([session, interrupt, digest]);
  return value.length <= MOST ? value : undefined;
}

/** Reads the value of a button; `undefined` where it is none of ours. */
export function readSlackValue(text: string): ClickedQuestion | undefined {
  const read = parseStrictJson(text.slice(0, MOST));
  if (!read.ok || !isJsonArray(read.value)) return undefined;
  const [session, interrupt, digest, ...more] = read.value;
  const isOurs = typeof session === 'string' && isSessionId(session) && more.length === 0;
  if (!isOurs || typeof interrupt !== 'string' || typeof digest !== 'string') return undefined;
  return { session, interrupt, digest };
}
