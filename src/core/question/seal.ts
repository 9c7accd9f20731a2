import { HitlError } from '../data/errors.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { jsonEquals } from '../data/json.js';
import type { Answer, Resolution } from '../data/resolution.js';
import { answerPlaces, maskedAt, SECRET } from './masked.js';
import { secretPlaces, memberAt } from './places.js';
import type { SecretMember } from './vault.js';
import { SecretVault } from './vault.js';

/** The schemas that say where the secrets of an answer stand. */
export interface SecretSchemas {
  readonly interrupt: Interrupt;
  /** The input of the tool that is asked about. */
  readonly input?: JsonObject | undefined;
  /** The schema of what a restart passes on to the tool's body. Default: that of the question's answer. */
  readonly resumed?: JsonObject | undefined;
}

/** An answer as it may be kept: no value of a secret is in it. Only `sealAnswer` and `plainAnswer` make one. */
export class SealedAnswer {
  readonly answer: Answer;
  /** The places of secrets, as JSON pointers into the resolution: masks stand there. */
  readonly secrets: readonly string[];
  /** Nothing else looks like one. */
  readonly #sealed = true;

  constructor(answer: Answer, secrets: readonly string[]) {
    this.answer = answer;
    this.secrets = secrets;
  }

  get isSealed(): true {
    return this.#sealed;
  }
}

/** The answer with masks in the place of its secrets; their values go into the vault, and nowhere else. */
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

/** Masks secrets in what a program says beside its output: it may repeat one. */
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
 * An answer that nobody here can use the secrets of: they would have to rest in a file until somebody could.
 * @throws HitlError BAD_ANSWER where there are any.
 */
export function plainAnswer(answer: Answer, schemas: SecretSchemas): SealedAnswer {
  const [first] = placesIn(answer.resolution, schemas);
  if (first === undefined) return new SealedAnswer(answer, []);
  throw new HitlError(
    'BAD_ANSWER',
    `${placeWords(first)} is a secret, and is not taken from another process`,
    {
      hint: 'it would rest in a file; answer where the session runs, or in: hitl resume <id>',
    },
  );
}

/** Says whether a decision holds a secret. */
export function holdsSecret(resolution: Resolution, schemas: SecretSchemas): boolean {
  return placesIn(resolution, schemas).size > 0;
}

/** Gives a decision as it may be shown: with masks in the place of its secrets. */
export function shownResolution(resolution: Resolution, schemas: SecretSchemas): Resolution {
  return maskedResolution(resolution, placesIn(resolution, schemas), new SecretVault());
}

/** Says what is wrong with the secrets of an answer: a mask where a value belongs; `undefined` where nothing is. */
export function maskProblem(resolution: Resolution, schemas: SecretSchemas): string | undefined {
  const masked = [...placesIn(resolution, schemas)].find((place) => valueIn(resolution, place) === SECRET);
  return masked === undefined
    ? undefined
    : `${placeWords(masked)} is a mask: the secret is not here, type it`;
}

/** `the secret` or `token` in words. */
function placeWords(place: string): string {
  const [, , ...keys] = place.split('/');
  return keys.length === 0 ? 'the answer' : `\`${keys.join('.')}\``;
}

/** Places of secrets in a resolution: in the output, the input or what is passed on. */
function placesIn(resolution: Resolution, { interrupt, input, resumed }: SecretSchemas): ReadonlySet<string> {
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- the rest gives no value that a schema calls secret
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

/** Leaves out what the model wrote: it is no secret of a person, and stands in its message. */
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

/** The value at a place; its first key names a member of the resolution. */
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

/** The places behind a member of the resolution. */
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
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- as in `placesIn`
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
