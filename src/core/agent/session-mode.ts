/**
 * Says what a whole session may do without a question. `read-only`: what changes or sends something is denied. `ask`: what
 * tools and rules ask about is asked. `accept-edits`: files in the working folder are changed without a question.
 */
export type SessionMode = 'read-only' | 'ask' | 'accept-edits';

/** Every mode, the strictest first. */
export const SESSION_MODES: readonly SessionMode[] = ['read-only', 'ask', 'accept-edits'];
