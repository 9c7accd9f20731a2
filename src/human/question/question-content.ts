import type { Interrupt, JsonObject, JsonValue } from '../../core/index.js';
import {
  CHANGED,
  isJsonArray,
  isJsonObject,
  isSecretSchema,
  jsonEquals,
  membersOf,
} from '../../core/index.js';
import { formOf, isShownByForm } from './form-fields.js';
import type { Choice } from './listed-choices.js';
import { choiceOf, schemaChoices } from './listed-choices.js';

export type { Choice } from './listed-choices.js';

/**
 * The content of a question, taken from the interrupt's payload, the tool's input and the answer schema.
 * Untrusted text.
 */
export interface QuestionContent {
  readonly text?: string;
  readonly choices: readonly Choice[];
  /** Whether the user may select several choices. */
  readonly multiple: boolean;
  /** Whether to hide the text that the user types. */
  readonly secret: boolean;
  /** Whether free text is allowed in addition to the choices. */
  readonly allowOther: boolean;
  /** Other properties of the payload, shown in full. */
  readonly rest: JsonObject;
  /**
   * Other properties of the input of a tool that asks a question. Absent if the input is not an object or the
   * interrupt is not a question.
   */
  readonly inputRest?: JsonObject;
}

const TEXT_KEYS = ['question', 'prompt', 'message', 'reason'];
const CHOICE_KEYS = ['choices', 'options'];
const MULTIPLE_KEYS = ['multiple', 'multiSelect'];
const OTHER_KEYS = ['allowOther', 'allow_other', 'allowCustom'];

/**
 * Extracts the question from an interrupt: from its payload, or from the tool's input if the tool only asks.
 * Without explicit choices, uses the ones in the answer schema (`enum`, `oneOf` with `const`).
 */
export function questionContent(interrupt: Interrupt): QuestionContent {
  const { payload, source, kind, answerSchema } = interrupt;
  const fromInput = kind === 'question' && source.type === 'tool' ? source.input : null;
  const members = isJsonObject(payload) ? withoutChanges(source, payload) : {};
  const asked = membersOf(fromInput);
  const text = textOf(payload) ?? textOf(fromInput);
  const schemaItems = schemaOf(answerSchema, 'items');
  const isQuestion = kind === 'question' && isJsonObject(fromInput);
  const form = formOf(interrupt);
  const isList = answerSchema?.['type'] === 'array';
  // Only a question is answered with a choice; elsewhere what is called so is shown with the rest.
  const given = kind === 'question' ? (choicesOf(members) ?? choicesOf(asked)) : [];
  const choices = given ?? schemaChoices((isList ? schemaItems : answerSchema) ?? {});
  return {
    ...(text !== undefined && { text }),
    choices,
    multiple: flag(members, asked, MULTIPLE_KEYS) ?? (isList && choices.length > 0),
    secret: flag(members, asked, ['secret']) ?? isSecretSchema(answerSchema),
    allowOther: flag(members, asked, OTHER_KEYS) ?? false,
    rest: withoutForm(withoutKnown(members, text, kind === 'question'), form),
    ...(isQuestion && {
      inputRest: withoutForm(withoutShown(asked, members, text, choices), form),
    }),
  };
}

/** Removes a node's list of changes, which is shown as warnings instead. */
function withoutChanges(source: Interrupt['source'], payload: JsonObject): JsonObject {
  const { [CHANGED]: _changed, ...rest } = payload;
  return source.type === 'node' ? rest : payload;
}

function textOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  const key = isJsonObject(value) ? textKeyOf(value) : undefined;
  const text = isJsonObject(value) && key !== undefined ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function textKeyOf(value: JsonObject): string | undefined {
  return TEXT_KEYS.find((key) => Object.hasOwn(value, key) && typeof value[key] === 'string');
}

function choicesOf(value: JsonObject): readonly Choice[] | undefined {
  const key = choiceKeyOf(value);
  return key === undefined ? undefined : listOfChoices(value, key);
}

function choiceKeyOf(value: JsonObject): string | undefined {
  return CHOICE_KEYS.find((key) => listOfChoices(value, key) !== undefined);
}

function listOfChoices(value: JsonObject, key: string): readonly Choice[] | undefined {
  const list = Object.hasOwn(value, key) ? value[key] : undefined;
  if (list === undefined || !isJsonArray(list) || list.length === 0) return undefined;
  const choices = list.map(choiceOf);
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

function schemaOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = schema?.[key];
  return isJsonObject(member) ? member : undefined;
}

function flag(first: JsonObject, second: JsonObject, keys: readonly string[]): boolean | undefined {
  for (const members of [first, second]) {
    for (const key of keys) {
      const value = Object.hasOwn(members, key) ? members[key] : undefined;
      if (typeof value === 'boolean') return value;
    }
  }
  return undefined;
}

/** Properties that describe the format of the answer. The prompt already shows them. */
const FORM_KEYS: readonly string[] = [...MULTIPLE_KEYS, ...OTHER_KEYS, 'secret'];

/** Removes `fields` if the form already shows them. */
function withoutForm(members: JsonObject, form: JsonObject | undefined): JsonObject {
  const { fields, ...rest } = members;
  return fields !== undefined && form !== undefined && isShownByForm(fields, form) ? rest : members;
}

/** Removes the question and the choices, which are shown separately. */
function withoutKnown(members: JsonObject, text: string | undefined, formShown = true): JsonObject {
  const textKey = textKeyOf(members);
  const choiceKey = formShown ? choiceKeyOf(members) : undefined;
  const isShown = ([key, value]: readonly [string, JsonValue]): boolean =>
    (key === textKey && value === text) ||
    key === choiceKey ||
    (formShown && typeof value === 'boolean' && FORM_KEYS.includes(key));
  return Object.fromEntries(Object.entries(members).filter((entry) => !isShown(entry)));
}

/** Returns the input properties that are not shown with the payload or as part of the question. */
function withoutShown(
  input: JsonObject,
  payload: JsonObject,
  text: string | undefined,
  choices: readonly Choice[],
): JsonObject {
  const own = choicesOf(input);
  const sameChoices =
    own?.length === choices.length && own.every(({ label }, at) => label === choices[at]?.label);
  const isShown = ([key, value]: readonly [string, JsonValue]): boolean =>
    (Object.hasOwn(payload, key) && jsonEquals(payload[key] ?? null, value)) ||
    (typeof value === 'boolean' && FORM_KEYS.includes(key));
  return Object.fromEntries(
    Object.entries(withoutKnown(input, text, sameChoices)).filter((entry) => !isShown(entry)),
  );
}
