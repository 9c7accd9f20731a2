import * as z from 'zod';

import type { JsonObject, JsonValue } from '../data/json.js';
import { isJson, isJsonArray, isJsonObject } from '../data/json.js';
import type { InterruptId, NodePath, SessionId, ToolRef } from '../data/ids.js';
import { interruptId, isName, isSessionId, nodePath, toolRef } from '../data/ids.js';
import type { ErrorRecord } from '../data/error-record.js';

/**
 * Accepts any JSON value. It returns the value itself and not a copy, so that keys such as `__proto__` are
 * preserved as data.
 */
export const jsonValueSchema = z
  .unknown()
  .transform((value, context): JsonValue => {
    if (isJson(value)) return value;
    context.issues.push({ code: 'custom', message: 'expected JSON', input: value });
    return z.NEVER;
  })
  .meta({ id: 'JsonValue', description: 'Any JSON value' });

/** Accepts any JSON object. Returns the object itself. */
export const jsonObjectSchema = z
  .unknown()
  .transform((value, context): JsonObject => {
    if (isJson(value) && isJsonObject(value) && !isJsonArray(value)) return value;
    context.issues.push({ code: 'custom', message: 'expected a JSON object', input: value });
    return z.NEVER;
  })
  .meta({ id: 'JsonObject', description: 'Any JSON object', type: 'object' });

/** An ISO 8601 time. It is not validated, because times are only informational (G25). */
export const timeSchema = z.string().meta({ id: 'Time', description: 'A time, ISO 8601' });

export const sessionIdSchema = z
  .string()
  .transform((text, context): SessionId => {
    if (isSessionId(text)) return text;
    context.issues.push({ code: 'custom', message: 'expected a session id', input: text });
    return z.NEVER;
  })
  .meta({ id: 'SessionId', description: 'Id of a session', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' });

function refused({ issues }: z.RefinementCtx, input: string): never {
  issues.push({ code: 'custom', message: 'contains invisible or ambiguous characters', input });
  return z.NEVER;
}

export const toolRefSchema = z
  .string()
  .transform((text, context): ToolRef => (isName(text) ? toolRef(text) : refused(context, text)))
  .meta({ id: 'ToolRef', description: 'Id of a tool request, unique within a session' });

export const interruptIdSchema = z
  .string()
  .transform((text, context): InterruptId => (isName(text) ? interruptId(text) : refused(context, text)))
  .meta({ id: 'InterruptId', description: 'Id of an interrupt, unique within a session' });

export const nodePathSchema = z
  .string()
  .transform((text, context): NodePath => (isName(text) ? nodePath(text) : refused(context, text)))
  .meta({ id: 'NodePath', description: 'Location in a workflow; empty for the chat itself' });

/** Schema of an error, as used in the journal and all documents. */
export const errorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().exactOptional(),
    thrown: z
      .object({
        name: z.string(),
        code: z.union([z.string(), z.number()]).exactOptional(),
        details: jsonValueSchema.exactOptional(),
      })
      .exactOptional()
      .meta({ description: 'Additional properties of a thrown error' }),
  })
  .meta({ id: 'Error' }) satisfies z.ZodType<ErrorRecord>;
