import type { OptionRows } from '../../core/index.js';
import { anyOf, ANYTHING, FUNCTION, NUMBER, OBJECT, required, TEXT } from '../../core/index.js';

const STORE = anyOf(OBJECT, TEXT);

/** Options common to chats and workflows. */
export const SESSION = {
  limits: OBJECT,
  maxOutputTokens: NUMBER,
  onToolError: ANYTHING,
  context: ANYTHING,
  store: STORE,
  channel: OBJECT,
  reviewer: anyOf(OBJECT, FUNCTION),
  clock: OBJECT,
} satisfies OptionRows;

/** Additional options of a new session. */
export const NEW_SESSION = { by: OBJECT, id: TEXT, title: TEXT } satisfies OptionRows;

/** Replacements for an existing session. */
export const OLD_SESSION = { store: required(STORE) } satisfies OptionRows;
