import * as z from 'zod';

import type { JsonValue } from '../../core/index.js';
import { HitlError, isJsonArray, issueText, unescapeText } from '../../core/index.js';
import { answerMatchSchema } from '../../core/told/schemas.js';
import type { AnswerRule } from './answer-rule.js';
import { actionNamed } from './read-resolution.js';
import { parseStrictJson } from './strict-json.js';

const Json: z.ZodType<JsonValue> = z.json();
const Count = z.int().min(1).max(1_000_000);

const Entry = z.strictObject({
  // Required: without it an entry answers whatever is asked, and nobody says so by leaving something out.
  match: answerMatchSchema,
  answer: Json,
  times: z.union([Count, z.literal('any')]).default(1),
});

const Allowing = z.strictObject({ allow: z.string().min(1) });

/** An allow rule from an answers file. */
interface AllowedText {
  readonly text: string;
  /** `answers.jsonl line 3`. */
  readonly place: string;
}

/**
 * The content of an answers file: answers to questions, and allow rules that make some questions unnecessary.
 */
export interface AnswersFile {
  readonly answers: readonly AnswerRule[];
  readonly allows: readonly AllowedText[];
}

/**
 * Parses an answers file: a JSON list of entries, a single entry, or JSON lines. `name` is the file name to
 * use in messages.
 * @throws HitlError BAD_INPUT with the line or entry and its problem.
 */
export function parseAnswersFile(text: string, name: string): AnswersFile {
  const answers: AnswerRule[] = [];
  const allows: AllowedText[] = [];
  for (const entry of entriesOf(text, name)) {
    if ('text' in entry) allows.push(entry);
    else answers.push(entry);
  }
  return { answers, allows };
}

type Read = AnswerRule | AllowedText;

function entriesOf(text: string, name: string): readonly Read[] {
  const whole = text.replace(/^\uFEFF/, '').trim();
  if (whole === '') return [];
  const list = whole.startsWith('[') ? parseStrictJson(whole) : undefined;
  if (list?.ok === false) throw wrong(name, unescapeText(list.message));
  if (list !== undefined && isJsonArray(list.value)) {
    return list.value.map((entry, index) => readEntry(entry, `${name} entry ${index + 1}`));
  }
  const one = parseStrictJson(whole);
  if (!one.ok) return readLines(text, name);
  const before = text.slice(0, text.indexOf(whole.charAt(0))).split('\n').length;
  return [readEntry(one.value, `${name} line ${before}`)];
}

function readLines(text: string, name: string): readonly Read[] {
  const rules: Read[] = [];
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .forEach((line, index) => {
      if (line.trim() === '') return;
      const place = `${name} line ${index + 1}`;
      const json = parseStrictJson(line.trim());
      if (!json.ok) throw wrong(place, unescapeText(json.message));
      rules.push(readEntry(json.value, place));
    });
  return rules;
}

function readEntry(value: JsonValue, place: string): Read {
  const allowing = Allowing.safeParse(value);
  if (allowing.success) return { text: allowing.data.allow, place };
  const read = Entry.safeParse(value);
  if (!read.success) throw wrong(place, read.error.issues.map(issueText).join('; '));
  const { answer } = read.data;
  if (typeof answer === 'object' && answer !== null && 'action' in answer) {
    const { action } = answer;
    if (action !== 'approve' && actionNamed(action) === undefined) {
      throw wrong(place, `answer.action: unknown action ${JSON.stringify(action)}`);
    }
  }
  return { ...read.data, place };
}

function wrong(place: string, why: string): HitlError {
  return new HitlError('BAD_INPUT', `${place}: ${why}`, {
    hint: 'an entry is {"match":{"tool":…,"kind":…},"answer":…,"times":n|"any"} (an empty match matches every question) or {"allow":"a rule"}',
  });
}
