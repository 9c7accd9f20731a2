import * as z from 'zod';

import { interruptIdSchema, nodePathSchema } from './ids.js';
import { timeSchema } from './json.js';
import { actorSchema, resolutionSchema } from './resolution.js';

const vote = {
  by: actorSchema,
  resolution: resolutionSchema,
  castAt: timeSchema,
  receipt: z.string().exactOptional(),
};

/** The votes that decided a question. */
export const votesSchema = z.array(z.object(vote)).meta({
  description: 'The votes that decided it, where it needed more than one',
});

/** One person’s word. */
export const voteCastSchema = z.object({
  type: z.literal('vote-cast'),
  id: interruptIdSchema,
  digest: z.string(),
  ...vote,
  scope: nodePathSchema.exactOptional(),
});
