import * as z from 'zod/mini';

/** A tool's output, or a person's text instead of it. */
export function orWords<Output extends z.ZodMiniType>(
  output: Output,
): z.ZodMiniUnion<[Output, z.ZodMiniString]> {
  return z.union([output, z.string()]);
}
