import type { Interrupt, JsonObject, JsonValue, Resolution, Way } from '../../core/index.js';
import {
  amountUnit,
  ambiguousDuration,
  durationMs,
  escapeText,
  isJsonObject,
  jsonEquals,
  limitOf,
  WAYS,
  waysAt,
  waysOf,
} from '../../core/index.js';
import { exampleAnswer, passedOn } from '../question/form-fields.js';
import { readJsonOrText, mergeJson } from './answer-value.js';
import { checkSchema } from './check-schema.js';
import { parseStrictJson } from './strict-json.js';

/** The context in which an answer is read. */
export interface ReadContext {
  readonly interrupt: Interrupt;
  /** The schema that an edited input must match, if known. */
  readonly inputSchema: JsonObject | undefined;
}

/**
 * A value read from text, or the reason that it could not be read. The reason is safe to print in a terminal.
 */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export interface ReadAnswer {
  readonly way: Way;
  readonly resolution: Resolution;
}

function ok<T>(value: T): Read<T> {
  return { ok: true, value };
}

function no(why: string): Read<never> {
  return { ok: false, why };
}

/** A line's first word and the rest, which follows a space or a colon. */
export interface WordLine {
  readonly word: string;
  readonly rest: string;
}

/** Splits a line and converts the word to lowercase. */
export function splitWord(line: string): WordLine {
  const [, word = '', rest = ''] = /^([A-Za-z][A-Za-z_-]*)(?:[ \t]+|:[ \t]*|$)([^]*)$/.exec(line) ?? [];
  return { word: word.toLowerCase(), rest: rest.trim() };
}

const THEN = /\s+then\s+/g;

/**
 * Reads a line at any interrupt except a question: an action's name or key, followed by its value. If the
 * interrupt allows it, also reads several actions joined with `then`.
 */
export function readLine(text: string, context: ReadContext): Read<ReadAnswer> {
  const single = readOne(text, context);
  const several = waysAt(context.interrupt).find(({ takes }) => takes === 'several');
  if (single.ok || several === undefined || text.search(THEN) < 0) return single;
  const read = readTaken(several, text, context);
  return read.ok ? ok({ way: several, resolution: read.value }) : single;
}

function readOne(text: string, context: ReadContext): Read<ReadAnswer> {
  const { word, rest } = splitWord(text);
  const way = wayNamed(word, context.interrupt);
  if (!way.ok) return way;
  const read = readTaken(way.value, rest, context, word);
  return read.ok ? ok({ way: way.value, resolution: read.value }) : read;
}

const WORDS: ReadonlyMap<string, readonly Way[]> = wordsOf(Object.values(WAYS));

function wordsOf(ways: readonly Way[]): ReadonlyMap<string, readonly Way[]> {
  const words = new Map<string, readonly Way[]>();
  for (const way of ways) {
    for (const word of [way.key, ...way.words]) words.set(word, [...(words.get(word) ?? []), way]);
  }
  return words;
}

/**
 * Returns the action with this name, or the reason that it is not available for this interrupt. Also accepts
 * `go_back` for `go-back`.
 */
function wayNamed(word: string, interrupt: Interrupt): Read<Way> {
  const named = WORDS.get(word.replaceAll('_', '-')) ?? [];
  const [first] = named;
  if (first === undefined) return no('');
  const isNamed = ({ key, words }: Way): boolean =>
    named.some((one) => one.key === key && one.words.join() === words.join());
  const here = waysAt(interrupt).find(isNamed);
  if (here !== undefined) return ok(here);
  const { kind, source } = interrupt;
  const narrowed = waysOf(kind, source).find(isNamed);
  if (narrowed === undefined && first.key === 'y') return no(`\`${word}\` is ambiguous here`);
  return no(first.always === true ? '`always` is not available here' : notHere(narrowed ?? first));
}

/** Says that an action is not available, with its label: `approve`, never `restart`. */
export function notHere({ label }: Pick<Way, 'label'>): string {
  return `\`${label.replace(/…$/u, '')}\` is not available here`;
}

/** Reads an action's value, from an answer line or as typed at a prompt. */
export function readTaken(
  way: Way,
  text: string,
  context: ReadContext,
  word = way.words[0] ?? way.key,
): Read<Resolution> {
  switch (way.takes) {
    case 'nothing':
      return passedOn(context.interrupt) !== undefined && way.action === 'restart'
        ? readPassedOn(text, word, context.interrupt)
        : text === ''
          ? ok(way.make(undefined))
          : readWords(way, text, context.interrupt, word);
    case 'reason':
    case 'guidance':
      return ok(way.make(text));
    case 'note':
    case 'node':
      return text === '' ? no(`\`${word}\` needs a ${way.takes}`) : ok(way.make(text));
    case 'steps':
      return made(readSteps(text), way.make);
    case 'amount':
      return made(readAmount(text, word, context.interrupt), way.make);
    case 'answer':
      return made(readAnswer(text, word, context.interrupt), way.make);
    case 'input':
      return made(readInput(text, word, context), way.make);
    case 'patch':
      return made(readPatch(text, word), way.make);
    case 'value':
      return made(text === '' ? no(`\`${word}\` needs a value: JSON or text`) : value(text), way.make);
    case 'several':
      return made(readSeveral(text, context), way.make);
  }
}

/** Reads `y and …`: approves a call and adds a note for the model. */
function readWords(way: Way, text: string, { kind, source }: Interrupt, word: string): Read<Resolution> {
  const [, note = ''] = /^and[ \t:]+([^]+)$/iu.exec(text) ?? [];
  const takesWords = kind === 'confirmation' && source.type === 'tool' && way.always !== true;
  return note.trim() === '' || !takesWords || way.action !== 'restart'
    ? no(`\`${word}\` accepts no value`)
    : ok({ action: 'restart', note: note.trim() });
}

function made<T>(read: Read<T>, make: (taken: T) => Resolution): Read<Resolution> {
  return read.ok ? ok(make(read.value)) : read;
}

function value(text: string): Read<JsonValue> {
  const read = readJsonOrText(text, undefined);
  return read.ok ? ok(read.value) : no(read.message);
}

/** Reads the value that an approval passes to the tool that asked for it. */
function readPassedOn(text: string, word: string, interrupt: Interrupt): Read<Resolution> {
  const schema = passedOn(interrupt) ?? {};
  if (text === '') return no(`the tool requires a value with \`${word}\`: y ${exampleAnswer(schema)}`);
  const read = readJsonOrText(text, schema);
  return read.ok
    ? ok({ action: 'restart', metadata: read.value })
    : no(`invalid value for the tool: ${read.message}`);
}

function readAnswer(text: string, word: string, { answerSchema }: Interrupt): Read<JsonValue> {
  if (text === '') return no(`\`${word}\` needs the result: JSON or text`);
  const read = readJsonOrText(text, answerSchema);
  return read.ok ? ok(read.value) : no(read.message);
}

function readInput(text: string, word: string, context: ReadContext): Read<JsonValue | undefined> {
  const { source } = context.interrupt;
  if (source.type !== 'tool') return no('there is no input to edit');
  const merges = text.startsWith('+');
  const json = parseStrictJson(merges ? text.slice(1) : text);
  if (!json.ok) return no(`\`${word}\` requires JSON input: ${json.message}`);
  if (merges && !(isJsonObject(source.input) && isJsonObject(json.value)))
    return no(`\`${word} +\` requires a JSON object`);
  const input = merges ? mergeJson(source.input, json.value) : json.value;
  const issues = checkSchema(input, context.inputSchema);
  if (issues.length > 0) return no(`invalid input: ${issues.map(escapeText).join('; ')}`);
  // Nothing was changed: a plain approval, so that nobody is told of an edit.
  return ok(jsonEquals(input, source.input) ? undefined : input);
}

function readPatch(text: string, word: string): Read<JsonObject> {
  const json = parseStrictJson(text);
  if (!json.ok) return no(`\`${word}\` requires a JSON object: ${json.message}`);
  if (!isJsonObject(json.value)) return no(`\`${word}\` requires a JSON object`);
  return Object.keys(json.value).length > 0 ? ok(json.value) : no(`\`${word} {}\` changes nothing`);
}

function readSteps(text: string): Read<{ readonly steps?: number; readonly to?: string }> {
  if (text === '') return ok({});
  if (!/^\d+$/.test(text)) return ok({ to: text });
  const steps = Number(text);
  return steps >= 1 && steps <= 1000 ? ok({ steps }) : no(`steps must be 1..1000, got ${text}`);
}

/**
 * The maximum that one answer can add to a limit: US dollars for `cost`, milliseconds for `time`, otherwise
 * tokens.
 */
const MOST: ReadonlyMap<string, number> = new Map([
  ['cost', 10_000],
  ['time', 30 * 86_400_000],
  ['context', 10_000_000],
  ['tokens', 1_000_000_000],
]);

function readAmount(text: string, word: string, interrupt: Interrupt): Read<number> {
  const limit = limitOf(interrupt);
  const isWhole = limit !== 'cost' && limit !== 'time';
  const wanted = `\`${word}\` requires ${amountUnit(limit)}`;
  const number = limit === 'cost' ? text.replace(/^\$/, '') : text;
  const by =
    limit === 'time'
      ? durationMs(text)
      : /^\d{1,12}(?:\.\d{1,6})?$/.test(number)
        ? Number(number)
        : undefined;
  const ambiguous = limit === 'time' ? ambiguousDuration(text) : undefined;
  if (ambiguous !== undefined) return no(ambiguous);
  if (by === undefined || (isWhole && !Number.isInteger(by))) return no(wanted);
  const most = MOST.get(limit) ?? 1_000;
  return by > 0 && by <= most ? ok(by) : no(`the amount must be more than 0 and at most ${most}, got ${by}`);
}

/**
 * Reads several actions joined with `then`. Each part is the shortest text that is a complete answer, so a
 * `then` inside JSON does not separate actions.
 */
function readSeveral(text: string, context: ReadContext): Read<readonly Resolution[]> {
  const actions: Resolution[] = [];
  let from = 0;
  for (const { index, 0: gap } of [...text.matchAll(THEN), { index: text.length, 0: '' }]) {
    const one = readOne(text.slice(from, index), context);
    if (!one.ok && index === text.length) return one;
    if (!one.ok) continue;
    actions.push(one.value.resolution);
    from = index + gap.length;
  }
  return actions.length > 1 ? ok(actions) : no('join several actions with `then`');
}
