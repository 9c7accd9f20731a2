import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { escapeText } from '../data/escape.js';
import { doneOf } from '../question/narrow.js';
import { EDITED } from '../question/ways.js';
import { shownAnswer } from '../question/masked.js';
import { titleOf } from './title.js';
import { isJsonArray, isJsonObject, ownOf, jsonEquals } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';

/** The part of an answer that is repeated, in columns. */
const ANSWER_COLUMNS = 60;

/** Parts of a decision line, as safe text; the same wherever it was made. */
export interface DecidedWords {
  /** `approved` */
  readonly verb: string;
  /** The subject, in the question's words. */
  readonly what: string;
  /** Reason, answer, or effect of an edit; empty if there is none. */
  readonly given: string;
}

/** Width of one value. */
const VALUE_COLUMNS = 40;

/**
 * Formats a value as a person would say it, on one line of safe text: `Version 1.5, Draft yes` instead of
 * JSON.
 */
function inWords(value: JsonValue, columns: number): string {
  return plainLine(said(value), columns);
}

function said(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || typeof value === 'number') return String(value);
  if (isJsonArray(value)) return value.map(said).join(', ');
  return Object.entries(value)
    .map(([key, member]) => `${key} ${said(member)}`)
    .join(', ');
}

/** Describes an edit's change on one line of safe text: `amount 200 → 150`. */
function changesInWords(before: JsonValue, after: JsonValue, columns: number): string {
  return plainLine(changed(before, after).join(', '), columns);
}

function changed(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): readonly string[] {
  if (before !== undefined && after !== undefined && jsonEquals(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changed(ownOf(before, key), ownOf(after, key), `${path}${key} `));
  }
  const from = before === undefined ? 'nothing' : plainLine(said(before), VALUE_COLUMNS);
  const to = after === undefined ? 'nothing' : plainLine(said(after), VALUE_COLUMNS);
  return [`${path}${from} → ${to}`];
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return value !== undefined && isJsonObject(value);
}

/**
 * Describes a decision: verb, subject and value. `who` is the user at this terminal, `you `, or someone else.
 */
export function decidedWords(
  interrupt: Interrupt,
  resolution: Resolution,
  who: 'you ' | '' = '',
): DecidedWords {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const said = text === undefined || text === '' ? [] : [`“${escapeText(text)}”`];
  const change = verb !== EDITED ? '' : who === '' ? 'changed: ' : 'with your change: ';
  const given = value === undefined ? [] : [givenWords(interrupt, resolution, value, change)];
  return {
    verb: verb === EDITED ? 'approved' : verb,
    what: `${of === undefined ? '' : `the ${of} of `}${titleOf(interrupt).text}`,
    given: [...said, ...given, ...passedWords(interrupt, resolution)].join(' '),
  };
}

/** Describes the value passed to a body that asked for it. */
function passedWords({ resumeSchema }: Interrupt, resolution: Resolution): readonly string[] {
  if (resumeSchema === undefined || resolution.action !== 'restart') return [];
  const { metadata } = resolution;
  return metadata === undefined ? [] : [inWords(metadata, ANSWER_COLUMNS)];
}

function givenWords(interrupt: Interrupt, { action }: Resolution, value: JsonValue, change: string): string {
  const { source } = interrupt;
  if (action === 'restart' && source.type === 'tool')
    // Masks are alike, whatever they stand for.
    return `(${change}${changesInWords(source.input, value, ANSWER_COLUMNS) || 'a secret'})`;
  return inWords(shownAnswer(interrupt, value), ANSWER_COLUMNS);
}
