import { isJsonArray, isJsonObject } from './json/json.js';
import type { JsonObject } from './json/json.js';
import type { Actor, ResolutionAction } from './resolution.js';

/** What a member must be; a `?` at its end: it may be left out. */
type Kind =
  'json' | 'json?' | 'text' | 'text?' | 'object' | 'object?' | 'count?' | 'positive' | 'resolutions';

/** The members of each resolution beside its action; anything else is refused, so that no misspelt one is overlooked. */
const RESOLUTIONS: Readonly<Record<ResolutionAction, Readonly<Record<string, Kind>>>> = {
  respond: { output: 'json', metadata: 'json?', verbatim: 'object?' },
  restart: { input: 'json?', metadata: 'json?' },
  retry: {},
  reject: { reason: 'text?' },
  cancel: { reason: 'text?' },
  continue: {},
  skip: {},
  rerun: { guidance: 'text?' },
  'go-back': { steps: 'count?', to: 'text?' },
  'update-state': { patch: 'object' },
  'change-condition': { patch: 'object' },
  defer: { note: 'text' },
  goto: { node: 'text' },
  'edit-input': { value: 'json' },
  'edit-output': { value: 'json' },
  sequence: { actions: 'resolutions' },
  pause: {},
  extend: { by: 'positive' },
};

/** The members that each kind of actor must have, and what they may be. */
const ACTORS: Readonly<Record<Actor['type'], Readonly<Record<string, Kind | readonly string[]>>>> = {
  person: { name: 'text', via: ['terminal', 'answer', 'library'], host: 'text?', pid: 'count?' },
  script: { name: 'text', via: ['stdin', 'answers', 'flag'], place: 'text?' },
  rule: { rule: 'text' },
};

/** What is wrong with something that should be an answer, as one line; `undefined` where it is one. */
export function shapeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'an answer is an object with id, digest, resolution and by';
  const { id, digest, resolution, by } = value;
  if (typeof id !== 'string' || id === '') return '`id` must name an interrupt';
  if (typeof digest !== 'string') return '`digest` must be that of the interrupt as it was shown';
  return resolutionProblem(resolution) ?? actorProblem(by);
}

/** What is wrong with something that should say who decided; `undefined` where it does. */
function actorProblem(by: unknown): string | undefined {
  if (!isJsonObject(by))
    return '`by` must say who decided, such as {"type":"person","name":"ann","via":"library"}';
  const { type } = by;
  const members = typeof type === 'string' ? entryOf(ACTORS, type) : undefined;
  if (members === undefined) return '`by.type` must be person, script or rule';
  const wrong = Object.entries(members).find(([name, kind]) => !fits(by[name], kind));
  return wrong === undefined ? undefined : `\`by.${wrong[0]}\` must be ${wordsFor(wrong[1])}`;
}

function resolutionProblem(resolution: unknown): string | undefined {
  if (!isJsonObject(resolution)) return '`resolution` must be an object with an action';
  const { action, ...given } = resolution;
  if (typeof action !== 'string') return '`resolution.action` must be the name of an action';
  const members = entryOf(RESOLUTIONS, action);
  if (members === undefined) return `there is no action \`${action}\``;
  const strange = Object.keys(given).find((name) => entryOf(members, name) === undefined);
  if (strange !== undefined) return `\`${strange}\` is no member of \`${action}\``;
  const wrong = Object.entries(members).find(([name, kind]) => !fits(given[name], kind));
  return wrong === undefined ? undefined : `\`${wrong[0]}\` must be ${wordsFor(wrong[1])}`;
}

function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function fits(value: unknown, kind: Kind | readonly string[]): boolean {
  if (typeof kind !== 'string') return typeof value === 'string' && kind.includes(value);
  switch (kind) {
    case 'json':
      return value !== undefined;
    case 'json?':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'text?':
      return value === undefined || typeof value === 'string';
    case 'object':
      return isObject(value);
    case 'object?':
      return value === undefined || isObject(value);
    case 'count?':
      return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
    case 'positive':
      return typeof value === 'number' && value > 0;
    case 'resolutions':
      return Array.isArray(value) && value.every((one) => resolutionProblem(one) === undefined);
  }
}

function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isJsonArray(value);
}

function wordsFor(kind: Kind | readonly string[]): string {
  if (typeof kind !== 'string') return `one of ${kind.join(', ')}`;
  switch (kind) {
    case 'json':
    case 'json?':
      return 'a JSON value';
    case 'text':
    case 'text?':
      return 'a text';
    case 'object':
    case 'object?':
      return 'an object';
    case 'count?':
      return 'a whole number';
    case 'positive':
      return 'a number above 0';
    case 'resolutions':
      return 'a list of resolutions';
  }
}
