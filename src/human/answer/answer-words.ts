import type { Interrupt, JsonObject, Resolution } from '../../core/index.js';
import { isJsonObject, jsonEquals } from '../../core/index.js';
import { checkSchema } from './check-schema.js';
import { escapeText } from '../../core/index.js';
import { mergeJson, readJsonOrText } from './answer-value.js';
import type { ParsedAnswer } from './parsed-answer.js';
import { parseStrictJson } from './strict-json.js';

/** What a word of an answer line makes of the rest of the line; a text is why it cannot. Texts are safe for a terminal. */
export type WordResult = ParsedAnswer | string;

/** What a word is read against. */
export interface WordContext {
  readonly interrupt: Interrupt;
  readonly inputSchema: JsonObject | undefined;
}

type Word = (rest: string, context: WordContext, word: string) => WordResult;

/** What "yes" means; `undefined` where it would be a guess: after a crash or an error (law 7), at a limit. */
export function approval(interrupt: Interrupt): Resolution | undefined {
  if (interrupt.kind === 'confirmation') return { action: 'restart' };
  return interrupt.kind === 'gate' || interrupt.kind === 'pause' ? { action: 'continue' } : undefined;
}

function bare(resolution: Resolution): Word {
  return (rest, _context, word) => (rest === '' ? { resolution } : takesNothing(word));
}

function takesNothing(word: string): string {
  return `nothing may follow \`${word}\``;
}

const approve: Word = (rest, { interrupt }, word) => {
  if (rest !== '') return takesNothing(word);
  const resolution = approval(interrupt);
  return resolution === undefined ? `\`${word}\` does not say what to do here` : { resolution };
};

const always: Word = (rest, { interrupt }, word) => {
  if (rest !== '') return takesNothing(word);
  const offered = interrupt.kind === 'confirmation' && interrupt.source.type === 'tool';
  return offered ? { resolution: { action: 'restart' }, always: true } : 'no rule is offered here';
};

function withReason(action: 'reject' | 'cancel'): Word {
  return (rest) => ({ resolution: rest === '' ? { action } : { action, reason: rest } });
}

const edit: Word = (rest, { interrupt, inputSchema }, word) => {
  const { source } = interrupt;
  if (source.type !== 'tool') return 'there is no input to edit';
  const merges = rest.startsWith('+');
  const json = parseStrictJson(merges ? rest.slice(1) : rest);
  if (!json.ok) return `\`${word}\` takes the input as JSON: ${json.message}`;
  if (merges && !(isJsonObject(source.input) && isJsonObject(json.value)))
    return `\`${word} +\` merges objects only`;
  const input = merges ? mergeJson(source.input, json.value) : json.value;
  const issues = checkSchema(input, inputSchema);
  if (issues.length > 0) return `the input does not fit: ${issues.map(escapeText).join('; ')}`;
  // Nothing was changed: a plain approval, so that nobody is told of an edit.
  return {
    resolution: jsonEquals(input, source.input) ? { action: 'restart' } : { action: 'restart', input },
  };
};

const respond: Word = (rest, { interrupt }, word) => {
  if (rest === '') return `\`${word}\` needs the result: JSON or text`;
  const read = readJsonOrText(rest, interrupt.answerSchema);
  return read.ok
    ? { resolution: { action: 'respond', output: read.value } }
    : `the answer does not fit: ${read.message}`;
};

const rerun: Word = (rest) => ({
  resolution: rest === '' ? { action: 'rerun' } : { action: 'rerun', guidance: rest },
});

const goBack: Word = (rest) => {
  if (rest === '') return { resolution: { action: 'go-back' } };
  if (!/^\d+$/.test(rest)) return { resolution: { action: 'go-back', to: rest } };
  const steps = Number(rest);
  return steps >= 1 && steps <= 1000
    ? { resolution: { action: 'go-back', steps } }
    : `steps must be 1..1000, got ${rest}`;
};

function patch(action: 'update-state' | 'change-condition'): Word {
  return (rest, _context, word) => {
    const json = parseStrictJson(rest);
    if (!json.ok) return `\`${word}\` takes a JSON object: ${json.message}`;
    if (!isJsonObject(json.value)) return `\`${word}\` takes a JSON object`;
    return { resolution: { action, patch: json.value } };
  };
}

const defer: Word = (rest, _context, word) =>
  rest === '' ? `\`${word}\` needs a note` : { resolution: { action: 'defer', note: rest } };

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The most that one answer adds, by limit: rounds, US dollars, milliseconds. */
const MOST: Readonly<Record<string, number>> = { turns: 1_000, cost: 10_000, time: 30 * 86_400_000 };

const extend: Word = (rest, { interrupt }, word) => {
  const { payload } = interrupt;
  const named = isJsonObject(payload) ? payload['limit'] : undefined;
  const limit = typeof named === 'string' && Object.hasOwn(MOST, named) ? named : 'turns';
  const [, dollar = '', number = '', unit = ''] =
    /^(\$?)(\d{1,12}(?:\.\d{1,6})?) ?([a-z]*)$/.exec(rest) ?? [];
  const wanted = `\`${word}\` takes a number${limit === 'time' ? ' of milliseconds, or one with a unit: 90s, 10m, 2h' : ''}`;
  const fitsUnit = unit === '' || (limit === 'time' && Object.hasOwn(UNITS, unit));
  if (number === '' || !fitsUnit || (dollar !== '' && limit !== 'cost')) return wanted;
  const by = Number(number) * (unit === '' ? 1 : (UNITS[unit] ?? 1));
  if (limit === 'turns' && !Number.isInteger(by)) return `${wanted}, a whole one`;
  const most = MOST[limit] ?? 0;
  return by > 0 && by <= most
    ? { resolution: { action: 'extend', by } }
    : `it must be more than 0 and at most ${most}, got ${by}`;
};

const ENTRIES: readonly (readonly [words: string, word: Word])[] = [
  ['y yes approve continue', approve],
  ['always', always],
  ['n no reject', withReason('reject')],
  ['c cancel', withReason('cancel')],
  ['e edit', edit],
  ['a answer respond', respond],
  ['retry', bare({ action: 'retry' })],
  ['skip', bare({ action: 'skip' })],
  ['pause', bare({ action: 'pause' })],
  ['rerun', rerun],
  ['go-back go_back', goBack],
  ['update-state update_state', patch('update-state')],
  ['change-condition change_condition', patch('change-condition')],
  ['defer', defer],
  ['extend', extend],
];

/** A line as a word and what follows it: after a space, or after a colon at once. */
export interface WordLine {
  readonly word: string;
  readonly rest: string;
}

/** Splits a line; the word is in small letters. */
export function splitWord(line: string): WordLine {
  const [, word = '', rest = ''] = /^([A-Za-z][A-Za-z_-]*)(?:[ \t]+|:[ \t]*|$)([^]*)$/.exec(line) ?? [];
  return { word: word.toLowerCase(), rest: rest.trim() };
}

/** What the first word of a line does; `undefined` where it is not a word of ours. */
export function wordNamed(word: string): Word | undefined {
  return ENTRIES.find(([words]) => word !== '' && words.split(' ').includes(word))?.[1];
}
