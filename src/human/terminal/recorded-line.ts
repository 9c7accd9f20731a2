import type { Interrupt, JsonValue, Resolution } from '../../core/index.js';
import { changesInWords, doneOf, escapeText, inWords, shownAnswer, titleOf } from '../../core/index.js';

/** What a person decided about one interrupt. */
export interface Recorded {
  readonly resolution: Resolution;
  readonly always?: true;
}

/** How much of an answer is repeated, in columns. */
const ANSWER_COLUMNS = 60;

/** One line about what a person decided: the verb, the thing in the words of its question, and what was given for it. */
export function recordedLine(interrupt: Interrupt, { resolution, always }: Recorded): string {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const what = `${of === undefined ? '' : `the ${of} of `}${titleOf(interrupt).text}`;
  const given = value === undefined ? [] : [givenWords(interrupt, resolution, value)];
  const said = [...(text === undefined || text === '' ? [] : [`“${escapeText(text)}”`]), ...given].join(' ');
  const more = always === true ? ', and exactly this call always in this session' : '';
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
