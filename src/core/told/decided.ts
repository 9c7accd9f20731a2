import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Resolution, ShownEdit } from '../data/resolution.js';
import type { Shown } from '../data/escape.js';
import { escapeText, laidOut } from '../data/escape.js';
import { doneOf } from '../question/narrow.js';
import { EDITED } from '../question/ways.js';
import { shownAnswer } from '../question/masked.js';
import { titleOf } from './title.js';
import { isJsonArray, isJsonObject, ownOf, jsonEquals } from '../data/json.js';
import { firstRow, plainLine } from '../data/plain-line.js';
import { columnsOf } from '../data/width.js';

/** Maximum width of an answer in a decision line, in columns. */
const ANSWER_COLUMNS = 60;

/**
 * Parts of a decision line, as text that is safe to print. They do not depend on where the decision was made.
 */
export interface DecidedWords {
  /** `approved` */
  readonly verb: Shown;
  /** The subject, worded as in the question. */
  readonly what: Shown;
  /** The reason, the answer or the effect of an edit; empty if there is none. */
  readonly given: Shown;
}

/** Maximum width of a value, in columns. */
const VALUE_COLUMNS = 40;

/**
 * Formats a value in plain language, on one line that is safe to print: `Version 1.5, Draft yes` instead of
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

/** Returns the question that would be asked about an edited call, to the extent that its content is known. */
export function aboutEdited(interrupt: Interrupt, input: JsonValue, shown?: ShownEdit): Interrupt {
  const { source, payload } = interrupt;
  if (source.type !== 'tool') return interrupt;
  const { title: _title, ...call } = source;
  const title = shown?.title !== undefined && { title: shown.title };
  return {
    ...interrupt,
    source: { ...call, input: shown?.input ?? input, ...title },
    payload: source.raisedBy === 'approval' ? (shown?.request ?? {}) : withoutRepeats(payload, source.input),
  };
}

/**
 * Removes details that repeat the input from the payload of a tool's question, because they do not apply to
 * the edited input.
 */
function withoutRepeats(payload: JsonValue, input: JsonValue): JsonValue {
  if (!isObject(payload) || !isObject(input)) return payload;
  const isRepeat = ([key, value]: readonly [string, JsonValue]): boolean =>
    Object.hasOwn(input, key) && jsonEquals(input[key] ?? null, value);
  return Object.fromEntries(Object.entries(payload).filter((entry) => !isRepeat(entry)));
}

/** Describes the changes that an answer made to the state at a gate: `you changed draft old → new`. */
export function stateMark(before: JsonValue, after: JsonValue, who: string): string {
  const told = changed(before, after).filter((line) => line !== LONG);
  if (told.length > 0) return `${who} changed ${cut(told.join(', '))}`;
  return who === 'you' ? 'with your change' : `with ${who}’s change`;
}

/** Description of an edit, as text that is safe to print. */
interface ChangeWords {
  /** The previous command, if the title shows the new one. */
  readonly from?: string;
  /** `amount 200 → 150`; empty if only a command or a long string changed. */
  readonly rest: string;
}

/**
 * Describes the difference between two questions about the same call. Long strings are left out, because the
 * diff shows them.
 */
function changeWords(before: Interrupt, after: Interrupt): ChangeWords {
  if (before.source.type !== 'tool' || after.source.type !== 'tool') return { rest: '' };
  const [was, now] = [before.source.input, after.source.input];
  // Masks are alike, whatever they stand for.
  if (jsonEquals(was, now)) return { rest: 'a secret' };
  const [old, title] = [titleOf(before), titleOf(after)];
  const inTitles = old.command !== undefined && title.command !== undefined;
  const told = inTitles ? [...old.shows, ...title.shows] : [];
  const rest = changed(without(was, told), without(now, told)).filter((line) => line !== LONG);
  return {
    ...(inTitles && old.command !== title.command && { from: `\`${cut(old.command)}\`` }),
    rest: cut(rest.join(', ')),
  };
}

/** Describes an edit: `changed from …`, `with your change: amount 200 → 150` or `with your change`. */
function editWords(before: Interrupt, after: Interrupt, who: 'you ' | ''): string {
  const { from, rest } = changeWords(before, after);
  const mine = who === '' ? 'changed' : 'with your change';
  const told = from === undefined ? [] : [`changed from ${from}`];
  if (rest === '') return from === undefined ? mine : told.join('');
  return [...told, `${mine}: ${rest}`].join(', ');
}

/**
 * Describes the edit in a question about an edited call: `you changed amount 200 → 150`, `with your change`
 * or `with ann’s change`.
 * @param who `you`, or a name that is safe to print
 */
export function changeMark(before: Interrupt, after: Interrupt, who: string): string {
  const { from, rest } = changeWords(before, after);
  const told = [...(from === undefined ? [] : [from]), ...(rest === '' ? [] : [rest])];
  if (told.length > 0) return `${who} changed ${told.join(', ')}`;
  return who === 'you' ? 'with your change' : `with ${who}’s change`;
}

function cut(shown: string): string {
  return columnsOf(shown) <= ANSWER_COLUMNS ? shown : `${firstRow(shown, ANSWER_COLUMNS - 1)}…`;
}

function without(value: JsonValue, keys: readonly string[]): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Placeholder for a change that does not fit on a line. */
const LONG = '';

function changed(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): readonly string[] {
  if (before !== undefined && after !== undefined && jsonEquals(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      changed(ownOf(before, key), ownOf(after, key), `${path}${plainLine(key, VALUE_COLUMNS)} `),
    );
  }
  if (isList(before) && isList(after))
    return before.length === after.length ? [LONG] : [`${path}${before.length} → ${after.length}`];
  if (isLong(before) || isLong(after)) return [LONG];
  const from = before === undefined ? 'nothing' : plainLine(said(before), VALUE_COLUMNS);
  const to = after === undefined ? 'nothing' : plainLine(said(after), VALUE_COLUMNS);
  return [`${path}${from} → ${to}`];
}

/** Whether a value is a list of objects or lists, which does not fit on a line. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) && value.some((one) => isObject(one) || isJsonArray(one));
}

/** Whether a value is a string that is too long to show in full on a line. */
function isLong(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && (value.includes('\n') || columnsOf(value) > VALUE_COLUMNS);
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return value !== undefined && isJsonObject(value);
}

/**
 * Describes a decision with its verb, its subject and the value provided. `who` is `you ` for the user at
 * this terminal and empty for anyone else.
 */
export function decidedWords(
  interrupt: Interrupt,
  resolution: Resolution,
  who: 'you ' | '' = '',
): DecidedWords {
  const { verb, of, text, value } = doneOf(interrupt, resolution);
  const said = text === undefined || text === '' ? [] : [`“${escapeText(text)}”`];
  const edited = editedBy(interrupt, resolution);
  const change = edited === undefined ? [] : [`(${editWords(interrupt, edited, who)})`];
  const given =
    value === undefined || edited !== undefined
      ? []
      : [inWords(shownAnswer(interrupt, value), ANSWER_COLUMNS)];
  return {
    verb: escapeText(verb === EDITED ? 'approved' : verb),
    what: laidOut(`${of === undefined ? '' : `the ${of} of `}${titleOf(edited ?? interrupt).text}`),
    given: laidOut([...change, ...given, ...passedWords(interrupt, resolution), ...said].join(' ')),
  };
}

/** Describes the value that an approval passes to a tool that requested one. */
function passedWords({ resumeSchema }: Interrupt, resolution: Resolution): readonly string[] {
  if (resumeSchema === undefined || resolution.action !== 'restart') return [];
  const { metadata } = resolution;
  return metadata === undefined ? [] : [inWords(metadata, ANSWER_COLUMNS)];
}

/** Returns the question with the edited call if a decision changes the input. */
function editedBy(interrupt: Interrupt, resolution: Resolution): Interrupt | undefined {
  if (resolution.action !== 'restart' || resolution.input === undefined) return undefined;
  return interrupt.source.type === 'tool'
    ? aboutEdited(interrupt, resolution.input, resolution.shown)
    : undefined;
}
