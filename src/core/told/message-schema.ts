import * as z from 'zod';

import type { Message, Part } from '../data/message.js';
import type { Refusal, ReplyEnd, Usage } from '../data/finish-reason.js';
import type { ToolOutcome } from '../state/outcome.js';
import { TOOL_ERROR_CODES } from '../data/errors.js';
import { toolRefSchema, jsonObjectSchema, jsonValueSchema } from './json-schema.js';

const metadata = { metadata: jsonObjectSchema.exactOptional() };
const nested = { content: z.array(z.lazy((): z.ZodType<Part> => partSchema)).exactOptional() };

/** Schema of a message part. */
export const partSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string(), ...metadata }),
    z.object({ type: z.literal('reasoning'), text: z.string(), ...metadata }),
    z.object({
      type: z.literal('media'),
      url: z.string(),
      contentType: z.string().exactOptional(),
      ...metadata,
    }),
    z.object({ type: z.literal('data'), data: jsonValueSchema, ...metadata }),
    z.object({
      type: z.literal('tool-request'),
      ref: toolRefSchema,
      name: z.string(),
      input: jsonValueSchema,
      problem: z.string().exactOptional(),
      ...metadata,
    }),
    z.object({
      type: z.literal('tool-response'),
      ref: toolRefSchema,
      name: z.string(),
      output: jsonValueSchema,
      isError: z.boolean().exactOptional(),
      ...nested,
      ...metadata,
    }),
  ])
  .meta({ id: 'Part' }) satisfies z.ZodType<Part>;

export const roleSchema = z.enum(['system', 'user', 'model', 'tool']);

/** Schema of a message as stored in the journal. */
export const messageSchema = z
  .object({ role: roleSchema, content: z.array(partSchema), ...metadata })
  .meta({ id: 'Message' }) satisfies z.ZodType<Message>;

const tokens = z.int().min(0);

/** Schema of the reason that a model's reply ended. */
export const replyEndSchema = z.enum([
  'stop',
  'tool-use',
  'length',
  'refusal',
  'context-window',
  'paused',
  'other',
]) satisfies z.ZodType<ReplyEnd>;

/** Schema of the details that a provider gives for a refusal. */
export const refusalSchema = z
  .object({ category: z.string().exactOptional(), explanation: z.string().exactOptional() })
  .meta({ description: 'The provider’s reasons for a refusal' }) satisfies z.ZodType<Refusal>;

/** Tokens and price. */
export const usageSchema = z
  .object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens.exactOptional(),
    cacheWriteTokens: tokens.exactOptional(),
    costUsd: z
      .number()
      .min(0)
      .exactOptional()
      .meta({ description: 'US dollars; absent if the price is unknown' }),
  })
  .meta({ id: 'Usage' }) satisfies z.ZodType<Usage>;

/** Schema of a tool call's outcome. */
export const toolOutcomeSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('output'), output: jsonValueSchema, ...nested, ...metadata }),
    z.object({
      type: z.literal('error'),
      code: z.enum(TOOL_ERROR_CODES),
      message: z.string(),
    }),
  ])
  .meta({ id: 'ToolOutcome' }) satisfies z.ZodType<ToolOutcome>;
