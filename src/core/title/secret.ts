import type { Interrupt } from '../interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject } from '../json/index.js';

/** What stands where a secret is not shown. */
const SECRET = '••••••';

/** An answer as it may be shown: without what the question calls secret. */
export function shownAnswer({ answerSchema, payload, source }: Interrupt, answer: JsonValue): JsonValue {
  const asked = source.type === 'tool' ? [payload, source.input] : [payload];
  const isSecret = asked.some((value) => isJsonObject(value) && value['secret'] === true);
  return isSecret ? SECRET : withoutSecrets(answer, answerSchema);
}

function withoutSecrets(value: JsonValue, schema: JsonObject | undefined): JsonValue {
  if (schema === undefined) return value;
  if (schema['format'] === 'password') return SECRET;
  const { items, properties } = schema;
  if (isJsonArray(value)) {
    return isJsonObject(items) ? value.map((item) => withoutSecrets(item, items)) : value;
  }
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, withoutSecrets(member, isJsonObject(of) ? of : undefined)];
    }),
  );
}
