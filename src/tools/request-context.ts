import * as z from 'zod/v4/core';

import type { ContextResult } from '../core/index.js';
import { HitlError, issueText, messageOf } from '../core/index.js';

/** Validates the context of a request with the schema of a tool. The context need not be JSON. */
export function parseContext(schema: z.$ZodType, context: unknown): ContextResult {
  try {
    const parsed = z.safeParse(schema, context);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, issues: parsed.error.issues.map(issueText) };
  } catch (thrown) {
    return { ok: false, issues: [messageOf(thrown)] }; // a getter that throws, an asynchronous check
  }
}

/**
 * Returns the request context, as parsed with the schema of a tool.
 * @throws HitlError BAD_INPUT if the context is invalid.
 */
export function fittingContext(schema: z.$ZodType | undefined, context: unknown, name: string): unknown {
  if (schema === undefined) return context;
  const parsed = parseContext(schema, context);
  if (parsed.ok) return parsed.value;
  throw new HitlError(
    'BAD_INPUT',
    `the \`context\` does not match tool \`${name}\`: ${parsed.issues.join('; ')}`,
  );
}
