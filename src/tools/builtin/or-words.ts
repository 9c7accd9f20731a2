import * as z from 'zod/mini';

/** The output of a tool, or the words that a person gives in its place: they saw what the tool was to find out. */
export function orWords<Output extends z.ZodMiniType>(
  output: Output,
): z.ZodMiniUnion<[Output, z.ZodMiniString]> {
  return z.union([output, z.string()]);
}
