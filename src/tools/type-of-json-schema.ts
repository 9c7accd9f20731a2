import { fromJSONSchema } from 'zod';

import type { JsonObject } from '../core/index.js';

/** Makes the check of a JSON Schema. @throws Error where it is none, or says what cannot be checked. */
export function typeOfJsonSchema(schema: JsonObject): ReturnType<typeof fromJSONSchema> {
  return fromJSONSchema(schema);
}
