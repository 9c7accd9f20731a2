import { HitlError } from '../data/errors.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { jsonEquals } from '../data/json.js';
import type { Answer, Resolution } from '../data/resolution.js';
import { answerPlaces, maskedAt, SECRET } from './masked.js';
import { secretPlaces, memberAt } from './places.js';
import type { SecretMember } from './vault.js';
import { SecretVault } from './vault.js';

/** Schemas that mark the secrets in an answer. */
export interface SecretSchemas {
  readonly interrupt: Interrupt;
  /** Input schema of the tool that the question is about. */
  readonly input?: JsonObject | undefined;
  /** Schema of the value that an approval passes to the tool. Default: the question's answer schema. */
  readonly resumed?: JsonObject | undefined;
}

/** An answer without secret values, safe to store. Only `sealAnswer` and `plainAnswer` create one. */
export class SealedAnswer {
  readonly answer: Answer;
  /** JSON pointers to the masked secrets in the resolution. */
  readonly secrets: readonly string[];
  /** Makes the type nominal. */
  readonly #sealed = true;

  constructor(answer: Answer, secrets: readonly string[]) {
    this.answer = answer;
    this.secrets = secrets;
  }

  get isSealed(): true {
    return this.#sealed;
  }
}

/** Masks an answer's secrets and stores their values in the vault only. */
export function sealAnswer(answer: Answer, schemas: SecretSchemas, vault: SecretVault): SealedAnswer {
  const { resolution } = answer;
  const found = placesIn(resolution, schemas);
  for (const place of found.values()) {
    const value = valueIn(resolution, place);
    if (value !== undefined) vault.keep(answer.id, place, value);
  }
  const masked = withoutRepeats(maskedResolution(resolution, found, vault), vault);
  return new SealedAnswer({ ...answer, resolution: masked }, [...found]);
}

/** Masks secrets that are repeated in the content or metadata of a response. */
function withoutRepeats(resolution: Resolution, vault: SecretVault): Resolution {
  if (resolution.action !== 'respond' || resolution.verbatim === undefined) return resolution;
  const { content, metadata } = resolution.verbatim;
  const verbatim = {
    ...(content !== undefined && { content: vault.maskParts(content) }),
    ...(metadata !== undefined && { metadata: vault.mask(metadata) }),
  };
  return { ...resolution, verbatim };
}

/**
 * Wraps an answer that must not contain secrets. This process could not use them, and could pass them on only
 * by storing them.
 * @throws HitlError BAD_ANSWER if the answer contains any.
 */
export function plainAnswer(answer: Answer, schemas: SecretSchemas): SealedAnswer {
  const [first] = placesIn(answer.resolution, schemas);
  if (first === undefined) return new SealedAnswer(answer, []);
  throw new HitlError('BAD_ANSWER', `${placeWords(first)} is a secret and cannot come from another process`, {
    hint: 'it would be saved in a file; answer where the session runs, or in: hitl resume <id>',
  });
}

/** Whether a decision contains a secret. */
export function holdsSecret(resolution: Resolution, schemas: SecretSchemas): boolean {
  return placesIn(resolution, schemas).size > 0;
}

/** Returns a decision for display, with secrets masked. */
export function shownResolution(resolution: Resolution, schemas: SecretSchemas): Resolution {
  return maskedResolution(resolution, placesIn(resolution, schemas), new SecretVault());
}

/** Returns an error message if a mask was entered instead of the secret; otherwise `undefined`. */
export function maskProblem(resolution: Resolution, schemas: SecretSchemas): string | undefined {
  const masked = [...placesIn(resolution, schemas)].find((place) => valueIn(resolution, place) === SECRET);
  return masked === undefined
    ? undefined
    : `${placeWords(masked)} is a mask, not the secret: type the secret`;
}

/** Formats the path of a secret for use in a sentence: `the answer` or `token`. */
function placeWords(place: string): string {
  const [, , ...keys] = place.split('/');
  return keys.length === 0 ? 'the answer' : `\`${keys.join('.')}\``;
}

/**
 * Returns the paths of the secrets in a resolution: in its output, in its input or in the value passed to the
 * tool.
 */
function placesIn(resolution: Resolution, { interrupt, input, resumed }: SecretSchemas): ReadonlySet<string> {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest gives no value that a schema calls secret
  switch (resolution.action) {
    case 'respond':
      return new Set(answerPlaces(interrupt, resolution.output).map((place) => `/output${place}`));
    case 'restart': {
      const { input: edited, metadata } = resolution;
      return new Set([
        ...(edited === undefined ? [] : typedPlaces(edited, input, interrupt)).map(
          (place) => `/input${place}`,
        ),
        ...passedOnPlaces(metadata, resumed ?? interrupt.resumeSchema, interrupt).map(
          (place) => `/metadata${place}`,
        ),
      ]);
    }
    default:
      return new Set();
  }
}

/**
 * Returns the paths of secrets typed by a person. Excludes values written by the model, which are already in
 * its message.
 */
function typedPlaces(
  edited: JsonValue,
  schema: JsonObject | undefined,
  { source }: Interrupt,
): readonly string[] {
  const before = source.type === 'tool' ? source.input : null;
  return secretPlaces(edited, schema).filter((place) => {
    const [now, then] = [memberAt(edited, place), memberAt(before, place)];
    return now === SECRET || now === undefined || then === undefined || !jsonEquals(now, then);
  });
}

function passedOnPlaces(
  metadata: JsonValue | undefined,
  schema: JsonObject | undefined,
  interrupt: Interrupt,
): readonly string[] {
  if (metadata === undefined) return [];
  return schema === undefined ? answerPlaces(interrupt, metadata) : secretPlaces(metadata, schema);
}

/** Returns the value at a path whose first segment is a property of the resolution. */
function valueIn(resolution: Resolution, place: string): JsonValue | undefined {
  const [, member = ''] = place.split('/');
  const value = memberOf(resolution, member);
  return value === undefined ? undefined : memberAt(value, place.slice(member.length + 1));
}

function memberOf(resolution: Resolution, member: string): JsonValue | undefined {
  if (resolution.action === 'respond') return member === 'output' ? resolution.output : undefined;
  if (resolution.action !== 'restart') return undefined;
  return member === 'input' ? resolution.input : resolution.metadata;
}

/** Selects the paths under one property of the resolution and makes them relative to it. */
export function placesBehind(member: SecretMember, places: Iterable<string>): readonly string[] {
  const start = `/${member}`;
  return [...places]
    .filter((place) => place === start || place.startsWith(`${start}/`))
    .map((place) => place.slice(start.length));
}

function maskedResolution(
  resolution: Resolution,
  places: ReadonlySet<string>,
  vault: SecretVault,
): Resolution {
  if (places.size === 0) return resolution;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- as in `placesIn`
  switch (resolution.action) {
    case 'respond':
      return { ...resolution, output: maskedAt(resolution.output, placesBehind('output', places)) };
    case 'restart': {
      const { input, metadata, shown } = resolution;
      const inInput = placesBehind('input', places);
      // Wherever the tool has put it when it read the input; nothing was typed, nothing is looked for.
      const maskedShown = (value: JsonValue): JsonValue =>
        inInput.length === 0 ? value : vault.mask(maskedAt(value, inInput));
      return {
        ...resolution,
        ...(input !== undefined && { input: maskedAt(input, inInput) }),
        ...(metadata !== undefined && { metadata: maskedAt(metadata, placesBehind('metadata', places)) }),
        ...(shown !== undefined && { shown: { ...shown, input: maskedShown(shown.input) } }),
      };
    }
    default:
      return resolution;
  }
}
