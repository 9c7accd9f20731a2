import * as z from 'zod';

import type { TranscriptDocument, TranscriptInterrupt } from './documents.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';
import { agentSchema, parentSchema, votesSchema } from './event-schema.js';
import { sessionIdSchema, jsonObjectSchema, jsonValueSchema, timeSchema } from './json-schema.js';
import { interruptShape } from './interrupt-schema.js';
import { roleSchema, usageSchema } from './message-schema.js';
import { actorSchema, resolutionSchema } from './resolution-schema.js';

const KINDS = ['text', 'reasoning', 'media', 'data', 'toolRequest', 'toolResponse'] as const;

const toolRequestSchema = z.object({
  name: z.string(),
  ref: z.string().exactOptional(),
  input: jsonValueSchema.exactOptional(),
});

const toolResponseSchema = z.object({
  name: z.string(),
  ref: z.string().exactOptional(),
  output: jsonValueSchema.exactOptional(),
  content: z.array(z.lazy((): z.ZodType<TranscriptPart> => transcriptPartSchema)).exactOptional(),
});

/**
 * Schema of a message part in Genkit's format. A part has exactly one kind of content, and may have metadata.
 */
export const transcriptPartSchema = z
  .object({
    text: z.string().exactOptional(),
    reasoning: z.string().exactOptional(),
    media: z.object({ url: z.string(), contentType: z.string().exactOptional() }).exactOptional(),
    data: jsonValueSchema.exactOptional(),
    toolRequest: toolRequestSchema.exactOptional(),
    toolResponse: toolResponseSchema.exactOptional(),
    metadata: jsonObjectSchema.exactOptional().meta({
      description:
        'Genkit keys on tool requests: interrupt, pendingOutput, resolvedInterrupt, resumed, replacedInput; on responses: interruptResponse, source; under `hitl`, hitl’s own keys',
    }),
  })
  .refine((part) => KINDS.filter((kind) => part[kind] !== undefined).length === 1, {
    message: `expected exactly one of ${KINDS.join(', ')}`,
  })
  .meta({
    id: 'TranscriptPart',
    oneOf: KINDS.map((kind) => ({ required: [kind] })),
  }) satisfies z.ZodType<TranscriptPart>;

/** Schema of a message in Genkit's format. */
export const transcriptMessageSchema = z
  .object({
    role: roleSchema,
    content: z.array(transcriptPartSchema),
    metadata: jsonObjectSchema.exactOptional(),
  })
  .meta({ id: 'TranscriptMessage' }) satisfies z.ZodType<TranscriptMessage>;

const transcriptInterruptSchema = z
  .object({
    ...interruptShape,
    resolution: resolutionSchema.exactOptional(),
    by: actorSchema.exactOptional(),
    resolvedAt: timeSchema.exactOptional(),
    votes: votesSchema.exactOptional(),
  })
  .meta({ id: 'TranscriptInterrupt' }) satisfies z.ZodType<TranscriptInterrupt>;

/** Schema of the transcript document, which contains a whole session. */
export const transcriptDocumentSchema = z.object({
  format: z.literal('hitl-transcript'),
  version: z.literal(1),
  id: sessionIdSchema,
  title: z.string(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  agent: agentSchema.exactOptional(),
  status: z.enum(['done', 'waiting', 'interrupted', 'failed']),
  messages: z.array(transcriptMessageSchema),
  interrupts: z.array(transcriptInterruptSchema),
  usage: usageSchema,
  parent: parentSchema.exactOptional(),
}) satisfies z.ZodType<TranscriptDocument>;
