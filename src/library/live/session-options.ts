import type { OptionRows } from '../../core/index.js';
import { anyOf, ANYTHING, NUMBER, OBJECT, required, TEXT } from '../../core/index.js';

const STORE = anyOf(OBJECT, TEXT);

/** The options that chats and workflows take alike. */
export const SESSION = {
  limits: OBJECT,
  maxOutputTokens: NUMBER,
  onToolError: ANYTHING,
  context: ANYTHING,
  store: STORE,
  channel: OBJECT,
  clock: OBJECT,
} satisfies OptionRows;

/** Those of a session that begins, beside them. */
export const NEW_SESSION = { by: OBJECT, id: TEXT, title: TEXT } satisfies OptionRows;

/** Those of a session that is gone on with, in the place of theirs. */
export const OLD_SESSION = { store: required(STORE) } satisfies OptionRows;
