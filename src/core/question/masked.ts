import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, jsonEquals } from '../data/json.js';
import { memberAt, secretPlaces, withMemberAt } from './places.js';

/** The mask of a secret, in what is kept and on every screen. */
export const SECRET = '••••••';

/** The value with a mask at each of the places. */
export function maskedAt(value: JsonValue, places: readonly string[]): JsonValue {
  return places.reduce((masked, place) => withMemberAt(masked, place, SECRET), value);
}

/** Finds the masks that stand where a schema calls a value secret. Most values hold none, and are not compared with it. */
export function maskPlaces(value: JsonValue, schema: JsonObject | undefined): readonly string[] {
  if (!holdsMask(value)) return [];
  return secretPlaces(value, schema).filter((place) => memberAt(value, place) === SECRET);
}

function holdsMask(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === SECRET;
  return (isJsonArray(value) ? value : Object.values(value)).some(holdsMask);
}

/** The value without what its schema calls secret. */
export function withoutSecrets(value: JsonValue, schema: JsonObject | undefined): JsonValue {
  return maskedAt(value, secretPlaces(value, schema));
}

/** Gives both sides of an edit as they may be compared on a screen: a secret that is another one is seen to be one, and no more. */
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

/** Finds the places of secrets in an answer to a question. */
export function answerPlaces(interrupt: Interrupt, answer: JsonValue): readonly string[] {
  return isWhollySecret(interrupt) ? [''] : secretPlaces(answer, interrupt.answerSchema);
}

/** The question itself says that whatever is answered is a secret. */
function isWhollySecret({ payload, source }: Interrupt): boolean {
  const asked = source.type === 'tool' ? [payload, source.input] : [payload];
  return asked.some((value) => isJsonObject(value) && value['secret'] === true);
}

/** An answer as it may be shown: without what the question calls secret. */
export function shownAnswer(interrupt: Interrupt, answer: JsonValue): JsonValue {
  return maskedAt(answer, answerPlaces(interrupt, answer));
}
