import type { AlwaysOffer, Interrupt, Resolution, ShownEdit, Unread } from '../../core/index.js';
import { decidedWords, escapeText, unreadWords } from '../../core/index.js';
import { lastingWords } from '../question/key-words.js';

/** The approval of later calls that was part of a decision. */
interface TakenAlways {
  readonly offer: AlwaysOffer;
  /** Whether it was saved as a user rule. If false, it is a session rule. */
  readonly kept: boolean;
}

/** A user's decision about one interrupt. */
export interface Recorded {
  readonly resolution: Resolution;
  readonly always?: TakenAlways;
  /** The unread part, if the user deliberately approved the call before it had been shown in full. */
  readonly unread?: Unread;
  /** The edited call as it was shown to the user. */
  readonly seen?: ShownEdit;
}

/**
 * Describes a user's decision in one line: the verb, the subject as worded in the question, and the value
 * that the user provided, if any.
 */
export function recordedLine(interrupt: Interrupt, { resolution, always, unread }: Recorded): string {
  const { verb, what, given } = decidedWords(interrupt, resolution, 'you ');
  const lasts = lastingWords(interrupt);
  const session = lasts === undefined ? 'in this session' : `in this session ${lasts}`;
  const where = always?.kept === true ? 'in this folder' : session;
  const more = always === undefined ? '' : `, and always ${where}: ${escapeText(always.offer.says)}`;
  const left = unread === undefined ? '' : `  (${unreadWords(unread)})`;
  return `you ${verb}  ${what}${more}${given === '' ? '' : `  ${given}`}${left}`;
}

/** Whether the decision lets something run. Determines its color. */
export function agrees({ resolution }: Recorded): boolean {
  return resolution.action !== 'reject' && resolution.action !== 'cancel';
}
