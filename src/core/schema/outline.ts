import * as z from 'zod';

import type { GraphOutline } from '../definition/index.js';

const sideSchema = z.enum(['before', 'after', 'both']);

/** The outline of a definition. */
export const outlineSchema = z
  .object({
    version: z.int().min(1).exactOptional(),
    nodes: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        gate: sideSchema.exactOptional(),
        when: z.string().exactOptional(),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        when: z.string().exactOptional(),
        priority: z.number().exactOptional(),
        weight: z.number().exactOptional(),
      }),
    ),
    ends: z.array(z.string()),
    gates: z.record(z.string(), sideSchema).exactOptional(),
  })
  .meta({
    id: 'GraphOutline',
    description: 'A definition, as a session keeps it',
  }) satisfies z.ZodType<GraphOutline>;
