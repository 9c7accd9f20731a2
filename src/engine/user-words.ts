import type { SessionEvent } from '../core/index.js';
import { textPart } from '../core/index.js';

/** Words of the user, as the event that says them. */
export function userWords(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [textPart(text)] } };
}
