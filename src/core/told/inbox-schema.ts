import * as z from 'zod';

import type { ActionChoice, InboxItem } from '../state/inbox-item.js';
import type { InboxOutcome } from '../state/event.js';
import { nodePathSchema, jsonValueSchema, timeSchema } from './json-schema.js';
import { usageSchema } from './message-schema.js';
import { actorSchema, resolutionSchema } from './resolution-schema.js';

const sent = { id: z.string(), seq: z.int().min(1), from: actorSchema, at: timeSchema };
const scope = { scope: nodePathSchema.exactOptional() };
const confidence = z.number().min(0).max(1);

const itemSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      ...sent,
      text: z.string(),
      action: resolutionSchema.exactOptional(),
      event: z.object({ name: z.string(), data: jsonValueSchema }).exactOptional(),
      priority: z.enum(['low', 'normal', 'urgent']),
      target: z.string().exactOptional(),
      expiresAt: timeSchema.exactOptional(),
    }),
    z.object({
      type: z.literal('control'),
      ...sent,
      verb: z.enum(['pause', 'resume', 'cancel']),
      reason: z.string().exactOptional(),
    }),
  ])
  .meta({
    id: 'InboxItem',
    description: 'A message to a run',
  }) satisfies z.ZodType<InboxItem>;

const outcomeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('applied') }),
  z.object({ type: z.literal('refused'), why: z.string() }),
  z.object({ type: z.literal('lost') }),
]) satisfies z.ZodType<InboxOutcome>;

const choiceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('action'),
    resolution: resolutionSchema,
    reason: z.string(),
    confidence,
    confirm: z.boolean(),
  }),
  z.object({
    type: z.literal('question'),
    question: z.string(),
    reason: z.string(),
    confidence,
    suggestion: resolutionSchema.exactOptional(),
  }),
  z.object({ type: z.literal('pause'), why: z.string() }),
]) satisfies z.ZodType<ActionChoice>;

/** Schemas of the events about external messages. */
export const inboxEventSchemas = [
  z.object({
    type: z.literal('inbox-delivered'),
    item: itemSchema,
    point: z.object({ phase: z.enum(['before', 'after', 'turn']), path: nodePathSchema }),
    deliveredAt: timeSchema,
    ...scope,
  }),
  z.object({
    type: z.literal('inbox-dropped'),
    id: z.string(),
    seq: z.int().min(1),
    why: z.enum(['expired', 'removed', 'run-ended']),
    droppedAt: timeSchema,
    ...scope,
  }),
  z.object({ type: z.literal('inbox-settled'), id: z.string(), outcome: outcomeSchema, ...scope }),
  z.object({
    type: z.literal('action-chosen'),
    message: z.string(),
    choice: choiceSchema,
    model: z.string(),
    attempts: z.int().min(0),
    usage: usageSchema.exactOptional(),
    ...scope,
  }),
] as const;
