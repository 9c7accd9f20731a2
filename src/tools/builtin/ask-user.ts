import * as z from 'zod/mini';

import type { JsonObject, Tool } from '../../core/index.js';
import { defineInterrupt } from '../define-interrupt.js';

import { BUILT_IN } from './builtin-options.js';

const choiceObject = () =>
  z.object({
    label: z.string().check(z.minLength(1), z.describe('what the user sees')),
    value: z.optional(z.string()).check(z.describe('what you get back; default: the label')),
    description: z.optional(z.string()).check(z.describe('one line of explanation')),
  });

const choice = () => z.union([z.string().check(z.minLength(1)), choiceObject()]);

const field = () =>
  z.object({
    name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)),
    label: z.optional(z.string()).check(z.describe('what the user sees; default: the name')),
    type: z
      ._default(z.enum(['text', 'number', 'yes-no', 'choice', 'secret']), 'text')
      .check(
        z.describe(
          '`choice` needs `choices`. `secret` values are not stored, and you see only a mask, so let the tool that needs the secret ask for it',
        ),
      ),
    choices: z
      .optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(100)))
      .check(z.describe('the only allowed values')),
    optional: z._default(z.boolean(), false),
  });

const members = () => ({
  question: z.string().check(z.minLength(1)),
  choices: z
    .optional(z.array(choice()).check(z.minLength(1), z.maxLength(100)))
    .check(z.describe('offered to the user, who may also type another answer')),
  multiple: z
    ._default(z.boolean(), false)
    .check(z.describe('several choices may be selected; the answer is then a list')),
  fields: z
    .optional(z.array(field()).check(z.minLength(1), z.maxLength(50)))
    .check(z.describe('a form; the answer is then an object')),
});

/** Returns the schema for a question from another program: free text, one or several choices, or a form. */
export const question = () =>
  z
    .object({
      ...members(),
      allowOther: z._default(z.boolean(), false).check(z.describe('the user may also type another answer')),
    })
    .check(
      z.superRefine((question, context) => {
        for (const problem of problemsOf(question)) context.addIssue({ code: 'custom', message: problem });
      }),
    );

/**
 * Returns the schema for a question from a model. Even if it offers choices, the user can type another
 * answer.
 */
const modelQuestion = () =>
  z.object(members()).check(
    z.superRefine((question, context) => {
      for (const problem of problemsOf(question)) context.addIssue({ code: 'custom', message: problem });
    }),
  );

type Choice = z.infer<ReturnType<typeof choiceObject>>;
type Field = z.infer<ReturnType<typeof field>>;
export type Question = z.infer<ReturnType<typeof question>>;

/**
 * Returns the problems with a question, such as choices that look the same, which the user could not tell
 * apart (T19).
 */
function problemsOf({ choices, fields }: Pick<Question, 'choices' | 'fields'>): readonly string[] {
  const problems: string[] = [];
  if (choices !== undefined && fields !== undefined) problems.push('pass `choices` or `fields`, not both');
  const full = choices?.map(asChoice);
  if (!allDiffer(full?.map(({ label }) => asSeen(label)))) problems.push('two choices have the same label');
  if (!allDiffer(full?.map(valueOf))) problems.push('two choices have the same value');
  if (!allDiffer(fields?.map(({ name }) => name))) problems.push('two fields have the same name');
  const bare = fields?.find(({ type, choices: listed }) => type === 'choice' && listed === undefined);
  if (bare !== undefined) problems.push(`field \`${bare.name}\` is a choice and needs \`choices\``);
  return problems;
}

function asChoice(choice: string | Choice): Choice {
  return typeof choice === 'string' ? { label: choice } : choice;
}

function valueOf({ label, value }: Choice): string {
  return value ?? label;
}

function allDiffer(texts: readonly string[] = []): boolean {
  return new Set(texts).size === texts.length;
}

function asSeen(label: string): string {
  return label.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

/**
 * Creates the tool that asks the user a question, with free text, one or several choices, or a form. Its
 * output is the answer.
 */
export function askUser(): Tool {
  return defineInterrupt({
    name: 'ask_user',
    description:
      'Asks the user a question and waits for the answer. Use it when you need a decision, a preference or a fact that only the user has. Offer choices if there are few sensible answers.',
    input: modelQuestion(),
    payload: (asked) => payloadOf({ ...asked, allowOther: true }),
    answerSchema: (asked) => answerSchemaOf({ ...asked, allowOther: true }),
    origin: BUILT_IN,
  });
}

/** Returns a question as the payload that is shown to the user. */
export function payloadOf({ question, choices, multiple, allowOther, fields }: Question): JsonObject {
  return {
    question,
    ...(choices !== undefined && {
      choices: choices.map(asChoice).map((choice) => ({
        label: choice.label,
        value: valueOf(choice),
        ...(choice.description !== undefined && { description: choice.description }),
      })),
      ...(multiple && { multiple }),
      ...(allowOther && { allowOther }),
    }),
    ...(fields !== undefined && { fields: fields.map(fieldPayload) }),
  };
}

function fieldPayload({ name, label, type, choices, optional }: Field): JsonObject {
  return { name, label: label ?? name, type, optional, ...(choices !== undefined && { choices }) };
}

/** Returns the JSON Schema for answers to a question. */
export function answerSchemaOf({ choices, multiple, allowOther, fields }: Question): JsonObject {
  if (fields !== undefined) return formSchema(fields);
  if (choices === undefined) return { type: 'string' };
  const one: JsonObject = allowOther
    ? { type: 'string' }
    : { type: 'string', enum: choices.map(asChoice).map(valueOf) };
  return multiple ? { type: 'array', items: one } : one;
}

function formSchema(fields: readonly Field[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Description of secret fields. It tells the user that no tool receives the secret. */
const SECRET_WORDS = 'Not stored, and the model sees only dots.';

function fieldSchema({ name, label, type, choices }: Field): JsonObject {
  const title = label ?? name;
  switch (type) {
    case 'number':
      return { type: 'number', title };
    case 'yes-no':
      return { type: 'boolean', title };
    case 'secret':
      return { type: 'string', title, format: 'password', description: SECRET_WORDS };
    case 'choice':
    case 'text':
      return { type: 'string', title, ...(choices !== undefined && { enum: choices }) };
  }
}
