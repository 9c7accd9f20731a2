// Answers as they come from others, checked by hand: the start of the program and the fold load no zod (ADR 17). The
// schemas of `../told` say the same, for documents and JSON Schemas; `test/fuzz/requests.test.ts` compares both.
import { isName } from './ids.js';
import { isJsonObject, ownOf } from './json.js';
import type { Actor, Resolution, ResolutionAction } from './resolution.js';
import type { Shape } from './shape.js';
import {
  flag,
  json,
  jsonObject,
  listOf,
  membersProblem,
  name,
  oneOf,
  optional,
  positive,
  text,
  wholeNumber,
  within,
} from './shape.js';

type Members = Readonly<Record<string, Shape>>;

/**
 * Properties of each resolution in addition to its action. Other properties are refused, to catch
 * misspellings.
 */
const RESOLUTIONS: Readonly<Record<ResolutionAction, Members>> = {
  respond: { output: json, metadata: optional(json), verbatim: optional(verbatimShape) },
  restart: { input: optional(json), metadata: optional(json), note: optional(text) },
  retry: {},
  reject: { reason: optional(text) },
  cancel: { reason: optional(text) },
  continue: {},
  skip: {},
  rerun: { guidance: optional(text) },
  'go-back': { steps: optional(wholeNumber(1)), to: optional(text) },
  'update-state': { patch: jsonObject },
  'change-condition': { patch: jsonObject },
  defer: { note: text },
  goto: { node: text },
  'edit-input': { value: json },
  'edit-output': { value: json },
  sequence: { actions: (value, place) => listOf(resolutionShape, 'resolutions')(value, place) },
  pause: {},
  extend: { by: positive },
};

/** Required properties of each kind of actor. */
const ACTORS: Readonly<Record<Actor['type'], Members>> = {
  person: {
    name: text,
    via: oneOf(['terminal', 'answer', 'library', 'web', 'slack', 'ag-ui', 'editor']),
    id: optional(within({ issuer: text, subject: text })),
    groups: optional(listOf(text, 'names')),
    host: optional(text),
    pid: optional(wholeNumber()),
    parent: optional(within({ pid: wholeNumber(), name: text })),
    terminal: optional(text),
    startedAt: optional(text),
  },
  script: { name: text, via: oneOf(['stdin', 'answers', 'flag']), place: optional(text) },
  rule: {
    rule: text,
    from: optional(text),
    says: optional(text),
    grant: optional(within({ id: text, use: wholeNumber(1), of: wholeNumber(1) })),
  },
  reviewer: { via: oneOf(['model', 'command', 'function']), name: text },
  clock: {},
};

/** Properties allowed in each part of a manually built response, in the form that the journal uses. */
const PARTS: Readonly<Record<string, Members>> = {
  text: { text },
  reasoning: { text },
  media: { url: text, contentType: optional(text) },
  data: { data: json },
  'tool-request': { ref: name, name: text, input: json, problem: optional(text) },
  'tool-response': {
    ref: name,
    name: text,
    output: json,
    isError: optional(flag),
    content: optional((value, place) => listOf(ownPartShape, 'parts')(value, place)),
  },
};

/**
 * Returns a one-line reason that a value is not a valid answer, or `undefined` if it is one.
 * @param isInside Whether the answer arrives through one of the session's own channels and may come from its
 * reviewer. Default: false.
 */
export function shapeProblem(value: unknown, isInside = false): string | undefined {
  if (!isJsonObject(value)) return 'an answer must be an object with id, digest, resolution and by';
  const { id, digest, resolution, by, unread } = value;
  if (typeof id !== 'string' || id === '' || !isName(id)) return '`id` must be an interrupt id';
  if (typeof digest !== 'string') return '`digest` must be the digest of the interrupt as shown';
  // None of them comes from outside: the writer of a session says so itself.
  const isOwn = isJsonObject(by) && (by['type'] === 'clock' || (by['type'] === 'reviewer' && !isInside));
  if (isOwn) return resolutionProblem(resolution) ?? NOBODY;
  if (isJsonObject(by) && by['grant'] !== undefined && !isInside)
    return resolutionProblem(resolution) ?? NO_GRANT;
  const rows = optional(within({ rows: wholeNumber(1), of: wholeNumber(1) }));
  return resolutionProblem(resolution) ?? actorProblem(by) ?? rows(unread, 'unread');
}

const NO_GRANT =
  '`by.grant` is reserved for the program that runs the session: an answer from outside cannot use a grant';
const NOBODY = '`by.type` must be person, script or rule';

/** Returns a one-line reason that a value is not a valid resolution, or `undefined` if it is one. */
export function resolutionProblem(value: unknown): string | undefined {
  return resolutionShape(value, '');
}

/**
 * Whether a value is a resolution that can come from outside. Such a resolution does not contain the effect
 * of an edit, because hitl determines that effect itself.
 */
export function isResolution(value: unknown): value is Resolution {
  return resolutionProblem(value) === undefined;
}

/** Returns the reason that a value is not a valid actor, or `undefined` if it is one. */
export function actorProblem(by: unknown): string | undefined {
  if (!isJsonObject(by))
    return '`by` must specify who decided, for example {"type":"person","name":"ann","via":"library"}';
  const { type } = by;
  const members = typeof type === 'string' ? ownOf(ACTORS, type) : undefined;
  return members === undefined ? NOBODY : membersProblem(by, members, 'by');
}

function resolutionShape(resolution: unknown, place: string): string | undefined {
  const here = place === '' ? 'resolution' : place;
  if (!isJsonObject(resolution)) return `\`${here}\` must be an object with an action`;
  const { action } = resolution;
  if (typeof action !== 'string') return `\`${here}.action\` must be an action name`;
  const members = ownOf(RESOLUTIONS, action);
  if (members === undefined) return `unknown action \`${action}\``;
  const { action: _action, ...others } = resolution;
  return strangeProblem(others, members, action) ?? membersProblem(resolution, members, place);
}

function verbatimShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be an object`;
  const members = { content: optional(listOf(ownPartShape, 'parts')), metadata: optional(jsonObject) };
  return strangeProblem(value, members, place) ?? membersProblem(value, members, place);
}

function strangeProblem(value: object, members: Members, what: string): string | undefined {
  const strange = Object.keys(value).find((member) => ownOf(members, member) === undefined);
  return strange === undefined ? undefined : `unknown property \`${strange}\` of \`${what}\``;
}

function ownPartShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be a part`;
  const members = typeof value['type'] === 'string' ? ownOf(PARTS, value['type']) : undefined;
  if (members === undefined) return `\`${place}.type\` must be one of ${Object.keys(PARTS).join(', ')}`;
  return membersProblem(value, { ...members, metadata: optional(jsonObject) }, place);
}

/** The properties of each kind of source. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  tool: { ref: name, name: text, input: json },
  node: { nodeId: text },
  run: {},
};

function sourceShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be an object`;
  const { type } = value;
  const members = typeof type === 'string' ? ownOf(SOURCES, type) : undefined;
  if (members === undefined) return `\`${place}.type\` must be one of ${Object.keys(SOURCES).join(', ')}`;
  return membersProblem(value, members, place);
}

/** Returns the reason that a value is not an interrupt that can be answered, or `undefined` if it is one. */
export function interruptShapeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'an interrupt must be an object with id, digest, allowed and source';
  return membersProblem(value, {
    id: name,
    digest: text,
    kind: text,
    allowed: listOf(text, 'actions'),
    source: sourceShape,
    answerSchema: optional(jsonObject),
    inputSchema: optional(jsonObject),
    resumeSchema: optional(jsonObject),
    edit: optional(text),
    approvers: optional(jsonObject),
  });
}
