import * as z from 'zod';

import type {
  AnswerMatch,
  AnswersEntry,
  ErrorDocument,
  ResultDocument,
  RunResult,
  StreamEvent,
  WireEvent,
} from './documents.js';
import { sessionEventSchema, transientEventSchema } from './event-schema.js';
import { errorSchema, sessionIdSchema, jsonValueSchema, timeSchema } from './json-schema.js';
import { interruptKindSchema, interruptSchema } from './interrupt-schema.js';
import { refusalSchema, replyEndSchema, usageSchema } from './message-schema.js';
import { resolutionSchema } from './resolution-schema.js';
import { transcriptMessageSchema } from './transcript-schema.js';

const resultShape = {
  session: sessionIdSchema,
  status: z.enum(['done', 'interrupted', 'failed', 'limit', 'cancelled', 'refused', 'cut', 'context-full']),
  text: z.string().meta({ description: "The model's final text in the latest turn" }),
  output: jsonValueSchema
    .meta({ description: "The reply's value, if a schema was required and the reply matches it" })
    .exactOptional(),
  end: z
    .object({ reason: replyEndSchema, ...refusalSchema.shape })
    .meta({ description: "Reason the model's last reply ended" })
    .exactOptional(),
  messages: z.array(transcriptMessageSchema),
  interrupts: z.array(interruptSchema).meta({ description: 'Open interrupts' }),
  usage: usageSchema.meta({ description: 'Usage for the whole session' }),
  costUsd: z.number().min(0).nullable().meta({ description: 'US dollars; null if the price is unknown' }),
  error: errorSchema.exactOptional(),
  resume: z.string().meta({ description: 'Command that resumes the session' }),
};

/** Schema of the document that `--output-format json` prints when a command ends. */
export const resultDocumentSchema = z.object(resultShape) satisfies z.ZodType<ResultDocument>;

/** Schema of the JSON output of a command that failed before its session existed. */
export const errorDocumentSchema = z.object({ error: errorSchema }) satisfies z.ZodType<ErrorDocument>;

const session = { session: sessionIdSchema };
const durable = z.object({ ...session, seq: z.int().min(1), at: timeSchema.exactOptional() });

const happening = [
  z.intersection(durable, sessionEventSchema),
  z.intersection(z.object(session), transientEventSchema),
  z.object({ ...session, type: z.literal('notice'), text: z.string() }),
] as const;

/** Schema of one line of `--output-format stream-json`. */
export const streamEventSchema = z.union([
  ...happening,
  z.object({ type: z.literal('result'), ...resultShape }),
]) satisfies z.ZodType<StreamEvent>;

const text = z.string();
const runResultSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done'), text, output: jsonValueSchema.exactOptional() }),
  z.object({ type: z.literal('finished'), text, by: z.string(), output: jsonValueSchema.exactOptional() }),
  z.object({ type: z.literal('waiting'), text, open: z.array(interruptSchema) }),
  z.object({ type: z.literal('limit'), text, limit: z.string() }),
]) satisfies z.ZodType<RunResult>;

/** One server-sent event. */
export const wireEventSchema = z.union([
  ...happening,
  z.object({ ...session, type: z.literal('rested'), result: runResultSchema }),
  z.object({ type: z.literal('failed'), error: errorSchema }),
]) satisfies z.ZodType<WireEvent>;

/**
 * Schema that selects interrupts. Unknown properties are errors, because a misspelled condition would match
 * too many interrupts.
 */
export const answerMatchSchema = z.strictObject({
  tool: z.string().min(1).exactOptional(),
  kind: interruptKindSchema.exactOptional(),
  interrupt: z.string().min(1).exactOptional(),
  session: z.string().min(1).exactOptional(),
  input: jsonValueSchema.exactOptional(),
  nth: z.int().min(1).max(1_000_000).exactOptional(),
}) satisfies z.ZodType<AnswerMatch>;

/** Schema of an answers-file entry. */
export const answersEntrySchema = z.union([
  z.strictObject({
    match: answerMatchSchema,
    answer: z.union([resolutionSchema, z.string()]),
    times: z.union([z.int().min(1), z.literal('any')]).exactOptional(),
  }),
  z.strictObject({ allow: z.string().min(1) }),
]) satisfies z.ZodType<AnswersEntry>;
