import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, jsonEquals } from '../data/json.js';
import { memberAt, secretPlaces, withMemberAt } from './places.js';

/** Replaces a secret in storage and on screens. */
export const SECRET = '••••••';

/** Returns a value with a mask at each of the given locations. */
export function maskedAt(value: JsonValue, places: readonly string[]): JsonValue {
  return places.reduce((masked, place) => withMemberAt(masked, place, SECRET), value);
}

/**
 * Returns the locations of masks that are at secret locations according to a schema. Compares only values
 * that contain a mask with the schema, because most do not.
 */
export function maskPlaces(value: JsonValue, schema: JsonObject | undefined): readonly string[] {
  if (!holdsMask(value)) return [];
  return secretPlaces(value, schema).filter((place) => memberAt(value, place) === SECRET);
}

function holdsMask(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === SECRET;
  return (isJsonArray(value) ? value : Object.values(value)).some(holdsMask);
}

/** Masks all parts of a value that the schema marks as secret. */
export function withoutSecrets(value: JsonValue, schema: JsonObject | undefined): JsonValue {
  return maskedAt(value, secretPlaces(value, schema));
}

/** Returns both sides of an edit for display. A changed secret is shown as changed, without its value. */
export function shownChange(
  before: JsonValue,
  after: JsonValue,
  schema: JsonObject | undefined,
): readonly [JsonValue, JsonValue] {
  const changed = secretPlaces(after, schema).filter((place) => {
    const [then, now] = [memberAt(before, place), memberAt(after, place)];
    return then === undefined || now === undefined || !jsonEquals(then, now);
  });
  const shown = changed.reduce(
    (value, place) => withMemberAt(value, place, `${SECRET} (typed)`),
    withoutSecrets(after, schema),
  );
  return [withoutSecrets(before, schema), shown];
}

/** Returns the locations of secrets in an answer to a question. */
export function answerPlaces(interrupt: Interrupt, answer: JsonValue): readonly string[] {
  return isWhollySecret(interrupt) ? [''] : secretPlaces(answer, interrupt.answerSchema);
}

/** Whether every answer to a question is secret as a whole. */
function isWhollySecret({ payload, source }: Interrupt): boolean {
  const asked = source.type === 'tool' ? [payload, source.input] : [payload];
  return asked.some((value) => isJsonObject(value) && value['secret'] === true);
}

/** Returns an answer for display, with its secret parts masked. */
export function shownAnswer(interrupt: Interrupt, answer: JsonValue): JsonValue {
  return maskedAt(answer, answerPlaces(interrupt, answer));
}
