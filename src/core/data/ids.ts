import { HitlError } from './errors.js';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Session id; matches `^[a-z0-9][a-z0-9_-]{0,63}$` (G32). */
export type SessionId = Branded<'SessionId'>;
/** Tool request id; unique within a session. */
export type ToolRef = Branded<'ToolRef'>;
/** Interrupt id; unique within a session. */
export type InterruptId = Branded<'InterruptId'>;
/** An event's location: `''` is the chat itself, and `review@2/legal@1` is a node in a graph. */
export type NodePath = Branded<'NodePath'>;

const SESSION_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Whether a string is a valid session id. */
export function isSessionId(text: string): text is SessionId {
  return SESSION_ID.test(text);
}

/**
 * Checks that a string is a valid session id (G32).
 * @throws HitlError SESSION_ID
 */
export function checkSessionId(text: string): SessionId {
  if (isSessionId(text)) return text;
  throw new HitlError('SESSION_ID', `\`${text}\` cannot name a session`, {
    hint: 'an id has 1 to 64 characters from a-z, 0-9, - and _, and starts with a letter or digit',
  });
}

/**
 * Characters that are not displayed as visible text: control characters, invisible formatting and line
 * breaks.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a string is safe as a name inside a session: it contains only visible characters. */
export function isName(text: string): text is ToolRef & InterruptId & NodePath {
  return text.length <= 2_000 && !UNSAFE.test(text);
}

function named(text: string, what: string): ToolRef & InterruptId & NodePath {
  if (isName(text)) return text;
  throw new HitlError('BAD_TRANSCRIPT', `${JSON.stringify(text.slice(0, 80))} cannot be ${what}`, {
    hint: 'it contains invisible or ambiguous characters',
  });
}

/** Parses a tool reference. @throws HitlError BAD_TRANSCRIPT if it is invalid. */
export function toolRef(text: string): ToolRef {
  return named(text, 'a call reference');
}

/** Parses an interrupt id. @throws HitlError BAD_TRANSCRIPT if it is invalid. */
export function interruptId(text: string): InterruptId {
  return named(text, 'a question id');
}

/** Parses a node path. @throws HitlError BAD_TRANSCRIPT if it is invalid. */
export function nodePath(text: string): NodePath {
  return named(text, 'a node path');
}

/** The path of the chat itself. */
export const ROOT_PATH: NodePath = nodePath('');
