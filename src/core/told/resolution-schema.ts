import * as z from 'zod';

import type { Actor, Resolution, ResolutionAction } from '../data/resolution.js';
import { jsonObjectSchema, jsonValueSchema } from './json-schema.js';
import { partSchema } from './message-schema.js';

const metadata = { metadata: jsonValueSchema.exactOptional() };
const reason = { reason: z.string().exactOptional() };

/**
 * Schema of a resolution. Unknown properties are errors, so that a resolution with a misspelled property is
 * never treated as a plain approval.
 */
export const resolutionSchema = z
  .discriminatedUnion('action', [
    z.strictObject({
      action: z.literal('respond'),
      output: jsonValueSchema,
      verbatim: z
        .strictObject({
          content: z.array(partSchema).exactOptional(),
          metadata: jsonObjectSchema.exactOptional(),
        })
        .exactOptional(),
      ...metadata,
    }),
    z.strictObject({
      action: z.literal('restart'),
      input: jsonValueSchema.exactOptional(),
      shown: z
        .strictObject({
          input: jsonValueSchema,
          request: jsonObjectSchema.exactOptional(),
          title: z.string().exactOptional(),
        })
        .exactOptional(),
      note: z.string().exactOptional(),
      ...metadata,
    }),
    z.strictObject({ action: z.literal('retry') }),
    z.strictObject({ action: z.literal('reject'), ...reason }),
    z.strictObject({ action: z.literal('cancel'), ...reason }),
    z.strictObject({ action: z.literal('continue') }),
    z.strictObject({ action: z.literal('skip') }),
    z.strictObject({ action: z.literal('rerun'), guidance: z.string().exactOptional() }),
    z.strictObject({
      action: z.literal('go-back'),
      steps: z.int().min(1).exactOptional(),
      to: z.string().exactOptional(),
    }),
    z.strictObject({ action: z.literal('update-state'), patch: jsonObjectSchema }),
    z.strictObject({ action: z.literal('change-condition'), patch: jsonObjectSchema }),
    z.strictObject({ action: z.literal('defer'), note: z.string() }),
    z.strictObject({ action: z.literal('goto'), node: z.string() }),
    z.strictObject({ action: z.literal('edit-input'), value: jsonValueSchema }),
    z.strictObject({ action: z.literal('edit-output'), value: jsonValueSchema }),
    z.strictObject({
      action: z.literal('sequence'),
      get actions(): z.ZodArray<z.ZodType<Resolution>> {
        return z.array(resolutionSchema);
      },
    }),
    z.strictObject({ action: z.literal('pause') }),
    z.strictObject({ action: z.literal('extend'), by: z.number().positive() }),
  ])
  .meta({
    id: 'Resolution',
    description: 'The decision on an interrupt',
  }) satisfies z.ZodType<Resolution>;

/** Schema of a resolution's action alone. */
export const actionSchema = z.enum(
  resolutionSchema.options.map(({ shape }) => shape.action.value),
) satisfies z.ZodType<ResolutionAction>;

/** A reviewer. */
export const reviewerSchema = z.object({
  type: z.literal('reviewer'),
  via: z.enum(['model', 'command', 'function']),
  name: z.string(),
});

/** Schema of an actor: the person, rule or process that decided. */
export const actorSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('person'),
      name: z.string(),
      via: z.enum(['terminal', 'answer', 'library', 'web', 'slack', 'ag-ui', 'editor']),
      id: z.object({ issuer: z.string(), subject: z.string() }).exactOptional().meta({
        description:
          'The person as verified by a sign-in, token or signed request; absent if the name is not verified',
      }),
      groups: z.array(z.string()).exactOptional().meta({ description: 'Groups as proved' }),
      host: z.string().exactOptional(),
      pid: z.int().exactOptional(),
      parent: z.object({ pid: z.int(), name: z.string() }).exactOptional(),
      terminal: z.string().exactOptional(),
      startedAt: z.string().exactOptional(),
    }),
    z.object({
      type: z.literal('script'),
      name: z.string(),
      via: z.enum(['stdin', 'answers', 'flag']),
      place: z.string().exactOptional(),
    }),
    z.object({
      type: z.literal('rule'),
      rule: z.string(),
      from: z.string().exactOptional(),
      says: z.string().exactOptional(),
      grant: z
        .object({ id: z.string(), use: z.int().min(1), of: z.int().min(1) })
        .exactOptional()
        .meta({ description: 'The use of a grant that the answer consumes' }),
    }),
    reviewerSchema,
    z.object({ type: z.literal('clock') }),
  ])
  .meta({ id: 'Actor', description: 'The person, rule or process that decided' }) satisfies z.ZodType<Actor>;
