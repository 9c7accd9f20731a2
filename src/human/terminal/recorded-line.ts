import type { Interrupt, Resolution } from '../../core/index.js';
import { doneOf, escapeText, plainLine } from '../../core/index.js';
import { questionContent, subjectOf } from '../question/index.js';

/** What a person decided about one interrupt. */
export interface Recorded {
  readonly resolution: Resolution;
  readonly always?: true;
}

/** How much of an answer is repeated, in columns. */
const ANSWER_COLUMNS = 60;

/** One line about what a person decided, with the first 8 hex digits of the fingerprint that the journal keeps. */
export function recordedLine(interrupt: Interrupt, { resolution, always }: Recorded): string {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const what = `${of === undefined ? '' : `the ${of} of `}${subjectOf(interrupt.source)}`;
  const isShown = value !== undefined && !questionContent(interrupt).secret;
  const given = isShown
    ? [plainLine(typeof value === 'string' ? value : JSON.stringify(value), ANSWER_COLUMNS)]
    : [];
  const said = [...(text === undefined ? [] : [escapeText(text)]), ...given].join(' ');
  const more = always === true ? ', and exactly this call always in this session' : '';
  return `you ${verb} ${what}${more}${said === '' ? '' : `: ${said}`} · ${interrupt.digest.slice(0, 8)}`;
}

/** True where something runs by it; for colour. */
export function agrees({ resolution }: Recorded): boolean {
  return resolution.action !== 'reject' && resolution.action !== 'cancel';
}
