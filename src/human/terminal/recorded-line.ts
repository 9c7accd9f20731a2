import type { AlwaysOffer, Interrupt, JsonValue, Resolution } from '../../core/index.js';
import { changesInWords, doneOf, escapeText, inWords, shownAnswer, titleOf } from '../../core/index.js';

/** Which later calls were approved as well. */
interface TakenAlways {
  readonly offer: AlwaysOffer;
  /** It is a rule of the user; else one of the session. */
  readonly kept: boolean;
}

/** What a person decided about one interrupt. */
export interface Recorded {
  readonly resolution: Resolution;
  readonly always?: TakenAlways;
}

/** How much of an answer is repeated, in columns. */
const ANSWER_COLUMNS = 60;

/** One line about what a person decided: the verb, the thing in the words of its question, and what was given for it. */
export function recordedLine(interrupt: Interrupt, { resolution, always }: Recorded): string {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const what = `${of === undefined ? '' : `the ${of} of `}${titleOf(interrupt).text}`;
  const given = value === undefined ? [] : [givenWords(interrupt, resolution, value)];
  const said = [...(text === undefined || text === '' ? [] : [`“${escapeText(text)}”`]), ...given].join(' ');
  const where = always?.kept === true ? 'in this folder' : 'in this session';
  const more = always === undefined ? '' : `, and always ${where}: ${escapeText(always.offer.says)}`;
  return `you ${verb}  ${what}${more}${said === '' ? '' : `  ${said}`}`;
}

function givenWords(interrupt: Interrupt, { action }: Resolution, value: JsonValue): string {
  const { source } = interrupt;
  if (action === 'restart' && source.type === 'tool')
    return `(you changed ${changesInWords(source.input, value, ANSWER_COLUMNS)})`;
  return inWords(shownAnswer(interrupt, value), ANSWER_COLUMNS);
}

/** True where something runs by it; for colour. */
export function agrees({ resolution }: Recorded): boolean {
  return resolution.action !== 'reject' && resolution.action !== 'cancel';
}
