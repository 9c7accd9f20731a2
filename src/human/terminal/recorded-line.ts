import type { AlwaysOffer, Interrupt, Resolution, ShownEdit, Unread } from '../../core/index.js';
import { decidedWords, escapeText, unreadWords } from '../../core/index.js';
import { lastingWords } from '../question/key-words.js';

/** Which later calls were approved as well. */
interface TakenAlways {
  readonly offer: AlwaysOffer;
  /** Saved as a user rule; otherwise a session rule. */
  readonly kept: boolean;
}

/** The decision of a person about one interrupt. */
export interface Recorded {
  readonly resolution: Resolution;
  readonly always?: TakenAlways;
  /** Approved on purpose before all of it was shown. */
  readonly unread?: Unread;
  /** What the person saw of an edited call. */
  readonly seen?: ShownEdit;
}

/** One line about what a person decided: the verb, the thing in the words of its question, and what was given for it. */
export function recordedLine(interrupt: Interrupt, { resolution, always, unread }: Recorded): string {
  const { verb, what, given } = decidedWords(interrupt, resolution, 'you ');
  const lasts = lastingWords(interrupt);
  const session = lasts === undefined ? 'in this session' : `in this session ${lasts}`;
  const where = always?.kept === true ? 'in this folder' : session;
  const more = always === undefined ? '' : `, and always ${where}: ${escapeText(always.offer.says)}`;
  const left = unread === undefined ? '' : `  (${unreadWords(unread)})`;
  return `you ${verb}  ${what}${more}${given === '' ? '' : `  ${given}`}${left}`;
}

/** Whether something runs by it; for color. */
export function agrees({ resolution }: Recorded): boolean {
  return resolution.action !== 'reject' && resolution.action !== 'cancel';
}
