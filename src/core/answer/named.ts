// Which answers count for nothing but what was shown, and what becomes of one that comes from outside of a conversation.
import type { JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';
import { WAYS } from '../ways/index.js';

/** Texts that say yes to a question, as they do to a call. */
const YES: ReadonlySet<string> = new Set(['true', WAYS.restart.key, ...WAYS.restart.words]);

/**
 * Whether an answer is a yes: something runs by it, or it says yes to a question. Such an answer is for what was shown,
 * and for nothing that was asked since.
 */
export function isYes(resolution: Resolution): boolean {
  if (resolution.action === 'sequence') return resolution.actions.some(isYes);
  if (resolution.action === 'respond') return saysYes(resolution.output);
  return WAYS[resolution.action].starts;
}

function saysYes(output: JsonValue): boolean {
  return output === true || (typeof output === 'string' && YES.has(output.trim().toLowerCase()));
}

/** What is known of how an answer names its question. */
export interface Naming {
  /** The digest of what was shown; the question was found by it, or compared with it. */
  readonly digest?: string | undefined;
  /** Whether it is said aloud that the answer is for whatever is open. */
  readonly any?: boolean | undefined;
  /** Whether a person sits at the terminal and can be shown the question. */
  readonly seated: boolean;
}

/**
 * Decides what becomes of an answer that comes from outside of a conversation: it counts, its question is shown first and
 * takes a key, or it is refused because nothing says what was shown.
 */
export function namingVerdict(resolution: Resolution, naming: Naming): 'counts' | 'show-first' | 'refused' {
  if (naming.digest !== undefined || naming.any === true || !isYes(resolution)) return 'counts';
  return naming.seated ? 'show-first' : 'refused';
}
