import * as z from 'zod/mini';

import type { JsonValue } from '../../core/index.js';

const Json: z.ZodMiniType<JsonValue> = z.json();

/** A line of a script's stdin that says itself what it is. */
export const TypedLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message'), text: z.string() }),
  z.strictObject({ type: z.literal('answer'), interrupt: z.string().check(z.minLength(1)), answer: Json }),
]);
export type TypedLine = z.infer<typeof TypedLine>;
