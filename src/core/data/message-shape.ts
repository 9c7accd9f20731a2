import { isJsonObject } from './json.js';
import type { Role } from './message.js';
import type { Shape } from './shape.js';
import { json, jsonObject, listOf, membersProblem, oneOf, optional, text, within } from './shape.js';

/** The properties of each kind of part. */
const KINDS: Readonly<Record<string, Shape>> = {
  text,
  reasoning: text,
  media: within({ url: text, contentType: optional(text) }),
  data: json,
  toolRequest: within({ name: text, ref: optional(text), input: optional(json) }),
  toolResponse: within({
    name: text,
    ref: optional(text),
    output: optional(json),
    content: optional((value, place) => listOf(partShape, 'parts')(value, place)),
  }),
};

const ROLES: Readonly<Record<Role, true>> = { system: true, user: true, model: true, tool: true };

/** Checks a message part in Genkit's form: exactly one kind, plus metadata. */
export function partShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be a part, such as {"text":"hello"}`;
  const given = Object.entries(KINDS).filter(([kind]) => value[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1)
    return `\`${place}\` must have exactly one of ${Object.keys(KINDS).join(', ')}`;
  return membersProblem(value, { [kind[0]]: kind[1], metadata: optional(jsonObject) }, place);
}

/** Properties of each kind of part that a tool may return in addition to its output. */
const RETURNED: Readonly<Record<string, Shape>> = {
  text: within({ text, metadata: optional(jsonObject) }),
  media: within({ url: text, contentType: optional(text), metadata: optional(jsonObject) }),
  data: within({ data: json, metadata: optional(jsonObject) }),
};

function returnedShape(value: unknown, place: string): string | undefined {
  const type = isJsonObject(value) ? value['type'] : undefined;
  const shape = typeof type === 'string' && Object.hasOwn(RETURNED, type) ? RETURNED[type] : undefined;
  if (shape !== undefined) return shape(value, place);
  return `\`${place}\` must be a part of type ${Object.keys(RETURNED).join(', ')}, such as {"type":"text","text":"hello"}`;
}

/**
 * Returns a one-line reason that the extra parts from a multipart tool are invalid, or `undefined` if they
 * are valid.
 */
export function returnedProblem(value: object): string | undefined {
  return membersProblem(value, {
    content: optional(listOf(returnedShape, 'parts')),
    metadata: optional(jsonObject),
  });
}

function messageShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be a message with role and content`;
  return membersProblem(
    value,
    {
      role: oneOf(Object.keys(ROLES)),
      content: listOf(partShape, 'parts'),
      metadata: optional(jsonObject),
    },
    place,
  );
}

/**
 * Returns a one-line reason that a value is not a list of messages in Genkit's form, or `undefined` if it is
 * one.
 */
export function messagesProblem(value: unknown): string | undefined {
  return listOf(messageShape, 'messages')(value, 'messages');
}
