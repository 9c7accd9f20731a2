import * as z from 'zod';

/** The output of a tool, or the words that a person gives in its place: they saw what the tool was to find out. */
export function orWords<Output extends z.ZodType>(output: Output): z.ZodUnion<[Output, z.ZodString]> {
  return z.union([output, z.string()]);
}
