import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, present } from '../../core/index.js';
import type { FieldReading } from '../answer/json-fields.js';
import { checkSchema } from '../answer/check-schema.js';
import { parseStrictJson } from '../answer/strict-json.js';
import { readField } from '../answer/json-fields.js';
import type { QuestionView } from '../question/question-text.js';
import { typesOf } from '../question/form-fields.js';
import { askChoice } from './choice-prompt.js';
import type { FormDrafts, QuestionDrafts } from './ask-text.js';
import { askForm, framedRows, givenForm, problemRows } from './ask-form.js';
import { askKey } from './key-prompt.js';
import { askKept } from './ask-text.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, saying } from './prompter.js';

/** A request for an answer, with its schema, choices and input format. */
export interface AnswerRequest {
  readonly schema?: JsonObject;
  readonly choices: QuestionView['choices'];
  readonly multiple: boolean;
  readonly allowOther: boolean;
  /** Whether the user may send a message instead of an answer. Default: false. */
  readonly saysFirst?: boolean;
  readonly secret: boolean;
  /** How to read an answer without a schema: as plain text, or as JSON if it is valid JSON. */
  readonly untyped: 'text' | 'json';
  /** Whether to ignore input that was typed before this prompt. */
  readonly isFirst: boolean;
  /** Help text for Esc. Default: `back`. */
  readonly escape?: string;
  /** Help text that lists what the user can type instead of an answer. */
  readonly hint: string;
  /** Keeps the typed text when the user leaves the prompt. */
  readonly drafts?: QuestionDrafts;
}

/**
 * An answer or a cancellation. The user cancels by entering `/cancel`, or by sending a message instead of an
 * answer.
 */
export type Answered =
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'cancel'; readonly reason?: string };

function value(of: JsonValue): Asked<Answered> {
  return answered({ type: 'value', value: of });
}

/**
 * Asks with the prompt that suits the schema: choices, yes or no, a form, a secret, JSON, or text. The result
 * matches the schema. Esc goes back.
 */
export async function askAnswer(prompter: Prompter, request: AnswerRequest): Promise<Asked<Answered>> {
  const { schema = {}, choices } = request;
  if (choices.length > 0) return askChoices(prompter, request);
  const types = typesOf(schema);
  if (types.length === 1 && types[0] === 'boolean') return askYesNo(prompter);
  const hasFields = types.length === 1 && types[0] === 'object' && schema['properties'] !== undefined;
  return hasFields ? askFields(prompter, schema, request) : askTyped(prompter, request);
}

async function askYesNo(prompter: Prompter): Promise<Asked<Answered>> {
  const asked = await askKey(prompter, {
    message: 'Your answer:',
    choices: [
      { key: 'y', label: 'yes', value: true },
      { key: 'n', label: 'no', value: false },
    ],
  });
  return asked.type === 'back' ? asked : value(asked.value);
}

async function askChoices(prompter: Prompter, request: AnswerRequest): Promise<Asked<Answered>> {
  const { choices, multiple, allowOther, saysFirst = false, escape = 'back' } = request;
  const rows = choices.map(({ label, answers, description }) => ({
    label,
    ...(answers !== undefined && { answers }),
    ...(description !== undefined && { description }),
  }));
  const more: readonly ('other' | 'first')[] = [
    ...(allowOther ? ['other' as const] : []),
    ...(saysFirst ? ['first' as const] : []),
  ];
  for (;;) {
    const asked = await askChoice(prompter, {
      message: multiple ? 'Your choices:' : 'Your choice:',
      rows: [...rows, ...more.map((one) => ({ label: MORE_ROWS[one] }))],
      multiple,
      escape,
    });
    if (asked.type === 'back') return asked;
    const taken = asked.value.flatMap((index) => {
      const choice = choices[index]?.choice;
      return choice === undefined ? [] : [choice.value];
    });
    const taking = more.filter((_, at) => asked.value.includes(choices.length + at));
    if (taking.includes('first')) {
      const said = await saySomething(prompter, request.drafts?.of('say'));
      if (said.type === 'answered') return said;
      continue;
    }
    if (taking.includes('other')) {
      const typed = await askTyped(prompter, { ...request, isFirst: false }, taken);
      if (typed.type === 'answered') return typed;
      continue;
    }
    const [first = null] = taken;
    return value(multiple ? taken : first);
  }
}

/** Labels of the additional rows below the choices. */
const MORE_ROWS = { other: 'something else …', first: 'let me say something first …' } as const;

/** Asks for a message to send instead of an answer. */
async function saySomething(prompter: Prompter, drafts: FormDrafts | undefined): Promise<Asked<Answered>> {
  const asked = await askKept(prompter, drafts, {
    prompt: 'say: ',
    hint: 'Enter sends this instead of an answer · Esc back',
    check: (text) => (text.trim() === '' ? 'Type something, or press Esc' : undefined),
  });
  return asked.type === 'back' ? BACK : answered({ type: 'cancel', reason: asked.value });
}

async function askFields(
  prompter: Prompter,
  schema: JsonObject,
  { drafts: all, escape }: AnswerRequest,
): Promise<Asked<Answered>> {
  const { theme } = prompter;
  const form = present({ drafts: all?.of('answer'), escape });
  let start: JsonValue = {};
  let problems: readonly string[] = [];
  for (;;) {
    const wrong = problems;
    const asking =
      wrong.length === 0
        ? prompter
        : saying(
            prompter,
            framedRows(theme, (columns) => problemRows(wrong, columns, theme)),
          );
    const asked = await askForm(asking, schema, start, form);
    if (asked.type === 'back') return asked;
    problems = checkSchema(asked.value, schema).map(escapeText);
    if (problems.length > 0) {
      start = asked.value;
      continue;
    }
    const given = asked.value;
    const confirmed = await askKey(
      saying(
        prompter,
        framedRows(theme, (columns) => givenForm(schema, given, columns)),
      ),
      {
        message: 'Send these answers?',
        choices: [
          { key: 'y', label: 'send', value: true },
          { key: 'e', label: 'change them', value: false },
        ],
      },
    );
    if (confirmed.type === 'back') return confirmed;
    if (confirmed.value) return value(asked.value);
    start = asked.value;
  }
}

/** Reads a typed answer and adds it to the `marked` choices. A leading `//` stands for a literal `/`. */
function reading(typed: string, request: AnswerRequest, marked: readonly JsonValue[]): FieldReading {
  const { schema, multiple, choices, untyped } = request;
  const text = typed.startsWith('//') ? typed.slice(1) : typed;
  if (multiple && choices.length > 0) return { type: 'value', value: [...marked, text] };
  if (schema === undefined || typesOf(schema).length === 0) {
    return { type: 'value', value: untyped === 'text' ? text : jsonOrText(text) };
  }
  return readField({ schema, required: true }, text, undefined);
}

/** Parses text without a schema: as JSON if it is valid JSON, otherwise as plain text. */
function jsonOrText(text: string): JsonValue {
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : text;
}

async function askTyped(
  prompter: Prompter,
  request: AnswerRequest,
  marked: readonly JsonValue[] = [],
): Promise<Asked<Answered>> {
  const { schema, secret, isFirst, hint } = request;
  let emptyOnce = false;
  const problemOf = (text: string): string | undefined => {
    if (text === '/cancel') return undefined;
    // Enter alone answers nothing; pressed twice, it is the empty answer that was meant.
    if (text === '' && !emptyOnce) {
      emptyOnce = true;
      return 'press Enter again to send an empty answer';
    }
    emptyOnce = false;
    const read = reading(text, request, marked);
    if (read.type !== 'value') return read.type === 'unreadable' ? read.why : undefined;
    const [first] = checkSchema(read.value, schema);
    return first === undefined ? undefined : escapeText(first);
  };
  const asked = await askKept(prompter, secret ? undefined : request.drafts?.of('typed'), {
    prompt: 'answer: ',
    hint,
    secret,
    guard: isFirst ? 'all' : 'enter',
    check: problemOf,
  });
  if (asked.type === 'back') return asked;
  if (asked.value === '/cancel') return answered({ type: 'cancel' });
  const read = reading(asked.value, request, marked);
  return read.type === 'value' ? value(read.value) : BACK;
}
