import type { Interrupt, JsonValue, Way } from '../../core/index.js';
import { isJsonObject, WAYS } from '../../core/index.js';
import { readChoices, readJsonOrText, readTyped } from './answer-value.js';
import type { ReadValue } from './answer-value.js';
import type { QuestionContent } from '../question/index.js';
import { questionContent } from '../question/index.js';
import type { Read, ReadAnswer } from './read.js';
import { readTaken, splitWord } from './read.js';
import { parseStrictJson } from './strict-json.js';

/**
 * Reads a line at a question. A choice comes first, then the words that a question offers (`answer`, `respond`, `cancel`),
 * and any other line is what is said. What was plainly meant as JSON and is broken is refused.
 */
export function answerAtQuestion(text: string, interrupt: Interrupt): Read<ReadAnswer> {
  const content = questionContent(interrupt);
  const listed = listedChoice(text, content, interrupt);
  if (listed !== undefined) return respond(listed);
  const command = commandAtQuestion(text, interrupt, content);
  if (command !== undefined) return command;
  if (isBrokenObject(text, interrupt))
    return { ok: false, why: 'this is no resolution; a text like this is written `answer …`' };
  return typedAtQuestion(text, interrupt);
}

/** Reads a text that can be nothing but the answer. */
export function typedAtQuestion(text: string, interrupt: Interrupt): Read<ReadAnswer> {
  const content = questionContent(interrupt);
  const schema = interrupt.answerSchema;
  const isWhole = content.choices.length > 0 && /^[[{"]/.test(text) && parseStrictJson(text).ok;
  const byChoice = content.choices.length > 0 && !isWhole;
  return resultOf(
    byChoice
      ? readChoices(text, content, schema)
      : isWhole
        ? readJsonOrText(text, schema)
        : readTyped(text, schema),
  );
}

function resultOf(read: ReadValue): Read<ReadAnswer> {
  return read.ok ? respond(read) : { ok: false, why: `the answer does not fit: ${read.message}` };
}

function respond({ value }: { readonly value: JsonValue }): Read<ReadAnswer> {
  return { ok: true, value: { way: WAYS.respond, resolution: { action: 'respond', output: value } } };
}

/** The choices that a line names, without those that allow a text of one's own. */
function listedChoice(
  text: string,
  content: QuestionContent,
  { answerSchema }: Interrupt,
): { readonly value: JsonValue } | undefined {
  if (content.choices.length === 0) return undefined;
  const read = readChoices(text, { ...content, allowOther: false }, answerSchema);
  return read.ok ? read : undefined;
}

/** `c` counts alone and `a` before JSON only: “a cup of tea” is an answer. */
function commandAtQuestion(
  text: string,
  interrupt: Interrupt,
  content: QuestionContent,
): Read<ReadAnswer> | undefined {
  const { word, rest } = splitWord(text);
  if (word === 'cancel' || (word === 'c' && rest === '')) {
    return taken(WAYS.cancel, rest, interrupt);
  }
  const isAnswer =
    word === 'answer' ||
    word === 'respond' ||
    (word === 'a' && /^[[{"]/.test(rest) && parseStrictJson(rest).ok);
  if (!isAnswer) return undefined;
  const listed = listedChoice(rest, content, interrupt);
  if (listed !== undefined) return respond(listed);
  return taken(WAYS.respond, rest, interrupt);
}

function taken(way: Way, rest: string, interrupt: Interrupt): Read<ReadAnswer> {
  const read = readTaken(way, rest, { interrupt, inputSchema: undefined });
  return read.ok ? { ok: true, value: { way, resolution: read.value } } : read;
}

/** A slip in an object must not become the answer to a question that takes text. */
function isBrokenObject(text: string, { answerSchema }: Interrupt): boolean {
  if (!text.startsWith('{')) return false;
  const json = parseStrictJson(text);
  if (!json.ok) return /^\{\s*"/.test(text);
  const properties = answerSchema?.['properties'];
  const hasOwnAction = isJsonObject(properties) && Object.hasOwn(properties, 'action');
  return isJsonObject(json.value) && Object.hasOwn(json.value, 'action') && !hasOwnAction;
}
