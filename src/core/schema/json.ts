import * as z from 'zod';

import type { JsonObject, JsonValue } from '../json/index.js';
import { isJson } from '../json/is-json.js';
import { isJsonArray, isJsonObject } from '../json/json.js';

/** Any JSON. The value itself comes out and no copy: keys such as `__proto__` survive as data. */
export const jsonValueSchema = z
  .unknown()
  .transform((value, context): JsonValue => {
    if (isJson(value)) return value;
    context.issues.push({ code: 'custom', message: 'expected JSON', input: value });
    return z.NEVER;
  })
  .meta({ id: 'JsonValue', description: 'Any JSON value' });

/** Any JSON object; the object itself comes out. */
export const jsonObjectSchema = z
  .unknown()
  .transform((value, context): JsonObject => {
    if (isJson(value) && isJsonObject(value) && !isJsonArray(value)) return value;
    context.issues.push({ code: 'custom', message: 'expected a JSON object', input: value });
    return z.NEVER;
  })
  .meta({ id: 'JsonObject', description: 'Any JSON object', type: 'object' });

/** A moment as ISO 8601. Not checked further: times are labels (G25). */
export const timeSchema = z.string().meta({ id: 'Time', description: 'A moment, ISO 8601' });
