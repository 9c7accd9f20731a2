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
 * The content of a question, read from an interrupt's payload, the tool's input and the answer schema. Text from
 * outside.
 */
export interface QuestionContent {
  readonly text?: string;
  readonly choices: readonly Choice[];
  /** Several choices may be taken. */
  readonly multiple: boolean;
  /** True where what is typed is not shown. */
  readonly secret: boolean;
  /** An answer beside the choices is taken too. */
  readonly allowOther: boolean;
  /** The payload's members that are none of the above, for showing in full. */
  readonly rest: JsonObject;
  /** Of a question: the members of the tool's input that are none of the above; `undefined` where it is no object. */
  readonly inputRest?: JsonObject;
}

const TEXT_KEYS = ['question', 'prompt', 'message', 'reason'];
const CHOICE_KEYS = ['choices', 'options'];
const MULTIPLE_KEYS = ['multiple', 'multiSelect'];
const OTHER_KEYS = ['allowOther', 'allow_other', 'allowCustom'];

/**
 * Finds the question in an interrupt. The payload is read first; a tool without a body that only asks has its question
 * in its input. Choices of the answer schema (`enum`, `oneOf` with `const`) are used where none are given.
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

/** Leaves out what has changed at a node: that is warned of. */
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

/** The words that say how a question is answered: what is typed, or chosen, shows them. */
const FORM_KEYS: readonly string[] = [...MULTIPLE_KEYS, ...OTHER_KEYS, 'secret'];

/** Gives what is left once the fields of a form are asked for; only what the form really shows is left out. */
function withoutForm(members: JsonObject, form: JsonObject | undefined): JsonObject {
  const { fields, ...rest } = members;
  return fields !== undefined && form !== undefined && isShownByForm(fields, form) ? rest : members;
}

/** Gives what is left once the question and its choices are shown; only what was really shown is left out. */
function withoutKnown(members: JsonObject, text: string | undefined, formShown = true): JsonObject {
  const textKey = textKeyOf(members);
  const choiceKey = formShown ? choiceKeyOf(members) : undefined;
  const isShown = ([key, value]: readonly [string, JsonValue]): boolean =>
    (key === textKey && value === text) ||
    key === choiceKey ||
    (formShown && typeof value === 'boolean' && FORM_KEYS.includes(key));
  return Object.fromEntries(Object.entries(members).filter((entry) => !isShown(entry)));
}

/** The members of an input that say something which neither the payload nor the question's form says. */
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
