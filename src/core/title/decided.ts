import type { Interrupt } from '../interrupt.js';
import type { JsonValue } from '../json/index.js';
import type { Resolution } from '../resolution.js';
import { escapeText } from '../text/index.js';
import { doneOf } from '../ways/index.js';
import { changesInWords, inWords } from './in-words.js';
import { shownAnswer } from '../secret/index.js';
import { titleOf } from './title.js';

/** The part of an answer that is repeated, in columns. */
const ANSWER_COLUMNS = 60;

/** The pieces of one line about a decision, in safe text; the same words wherever it was made. */
export interface DecidedWords {
  /** `approved` */
  readonly verb: string;
  /** The thing, in the words of its question. */
  readonly what: string;
  /** The reason, the answer, what an edit changed; empty where nothing was given. */
  readonly given: string;
}

/**
 * Says what was decided about an interrupt: the verb, the thing in the words of its question, and what was given for
 * it. `who` is named beside what an edit changed: `you `, or nobody.
 */
export function decidedWords(
  interrupt: Interrupt,
  resolution: Resolution,
  who: 'you ' | '' = '',
): DecidedWords {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const said = text === undefined || text === '' ? [] : [`“${escapeText(text)}”`];
  const given = value === undefined ? [] : [givenWords(interrupt, resolution, value, who)];
  return {
    verb,
    what: `${of === undefined ? '' : `the ${of} of `}${titleOf(interrupt).text}`,
    given: [...said, ...given, ...passedWords(interrupt, resolution)].join(' '),
  };
}

/** Tells of what was passed on to a body that asked for it. */
function passedWords({ resumeSchema }: Interrupt, resolution: Resolution): readonly string[] {
  if (resumeSchema === undefined || resolution.action !== 'restart') return [];
  const { metadata } = resolution;
  return metadata === undefined ? [] : [inWords(metadata, ANSWER_COLUMNS)];
}

function givenWords(interrupt: Interrupt, { action }: Resolution, value: JsonValue, who: string): string {
  const { source } = interrupt;
  if (action === 'restart' && source.type === 'tool')
    // Masks are alike, whatever they stand for.
    return `(${who}changed ${changesInWords(source.input, value, ANSWER_COLUMNS) || 'a secret'})`;
  return inWords(shownAnswer(interrupt, value), ANSWER_COLUMNS);
}
