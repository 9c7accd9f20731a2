// An answer names what it answers: the question, and by its digest what was shown of it. This is the one place that says
// how short a digest may be written, and how both are named together.
import type { Interrupt } from '../interrupt.js';
import type { Shown } from '../text/index.js';
import { escapeText } from '../text/index.js';

/** The digits of a digest that are printed beside a question. */
const DIGITS = 8;

/** Returns the digest of a question as it is printed beside it, and as `--digest` takes it. */
export function shortDigest({ digest }: Pick<Interrupt, 'digest'>): Shown {
  return escapeText(digest.slice(0, DIGITS));
}

/** Whether a text can be a digest: eight digits of it, or more. */
export function isDigestText(text: string): boolean {
  return /^[0-9a-f]{8,64}$/iu.test(text);
}

/** Whether a text is the digest of a question, or the start of it that is printed. */
export function isDigestOf(text: string, { digest }: Pick<Interrupt, 'digest'>): boolean {
  return isDigestText(text) && digest.startsWith(text.toLowerCase());
}

/** A question as `--answer` names it: by its id, and with `@3db9c6df` by the digest of what was shown. */
export interface QuestionName {
  readonly interrupt: string;
  readonly digest?: string;
}

/** Reads `i1` or `i1@3db9c6df`. */
export function readQuestionName(text: string): QuestionName {
  const at = text.lastIndexOf('@');
  const digest = text.slice(at + 1);
  return at > 0 && isDigestText(digest) ? { interrupt: text.slice(0, at), digest } : { interrupt: text };
}
