import type { OptionRows } from '../../core/index.js';
import { anyOf, ANYTHING, FUNCTION, NUMBER, OBJECT, required, TEXT } from '../../core/index.js';

const STORE = anyOf(OBJECT, TEXT);

/** Types of the options that chats and workflows have in common. */
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

/** Types of the additional options for a new session. */
export const NEW_SESSION = { by: OBJECT, id: TEXT, title: TEXT } satisfies OptionRows;

/** Types of the options that differ for an existing session. */
export const OLD_SESSION = { store: required(STORE) } satisfies OptionRows;
