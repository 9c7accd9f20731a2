import * as z from 'zod/mini';

/** Returns a schema that accepts the output of a tool, or text that a person provides instead. */
export function orWords<Output extends z.ZodMiniType>(
  output: Output,
): z.ZodMiniUnion<[Output, z.ZodMiniString]> {
  return z.union([output, z.string()]);
}
