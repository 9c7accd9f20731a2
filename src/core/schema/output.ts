import * as z from 'zod';

import type { AnswersEntry, ErrorDocument, ResultDocument, StreamEvent } from '../documents.js';
import { durableEvents, errorSchema, transientEvents } from './event.js';
import { sessionIdSchema } from './ids.js';
import { interruptKindSchema, interruptSchema } from './interrupt.js';
import { jsonValueSchema, timeSchema } from './json.js';
import { usageSchema } from './message.js';
import { resolutionSchema } from './resolution.js';
import { transcriptMessageSchema } from './transcript.js';

const resultShape = {
  session: sessionIdSchema,
  status: z.enum(['done', 'interrupted', 'failed', 'limit', 'cancelled']),
  text: z.string().meta({ description: "The model's final text of the latest turn" }),
  messages: z.array(transcriptMessageSchema),
  interrupts: z.array(interruptSchema).meta({ description: 'What waits for an answer' }),
  usage: usageSchema.meta({ description: 'Of the whole session' }),
  costUsd: z
    .number()
    .min(0)
    .nullable()
    .meta({ description: 'US dollars; null where the price is not known' }),
  error: errorSchema.exactOptional(),
  resume: z.string().meta({ description: 'The command line that goes on from here' }),
};

/** What `--output-format json` prints when a command ends. */
export const resultDocumentSchema = z.object(resultShape) satisfies z.ZodType<ResultDocument>;

/** What JSON output holds where a command failed before there was a session to tell of. */
export const errorDocumentSchema = z.object({ error: errorSchema }) satisfies z.ZodType<ErrorDocument>;

const session = { session: sessionIdSchema };
const durable = { ...session, seq: z.int().min(1), at: timeSchema.exactOptional() };

/** One line of `--output-format stream-json`. */
export const streamEventSchema = z.discriminatedUnion('type', [
  durableEvents[0].extend(durable),
  durableEvents[1].extend(durable),
  durableEvents[2].extend(durable),
  durableEvents[3].extend(durable),
  durableEvents[4].extend(durable),
  durableEvents[5].extend(durable),
  durableEvents[6].extend(durable),
  durableEvents[7].extend(durable),
  durableEvents[8].extend(durable),
  durableEvents[9].extend(durable),
  durableEvents[10].extend(durable),
  transientEvents[0].extend(session),
  transientEvents[1].extend(session),
  transientEvents[2].extend(session),
  transientEvents[3].extend(session),
  transientEvents[4].extend(session),
  transientEvents[5].extend(session),
  z.object({ ...session, type: z.literal('notice'), text: z.string() }),
  z.object({ type: z.literal('result'), ...resultShape }),
]) satisfies z.ZodType<StreamEvent>;

/** One entry of an answers file. Strict: a misspelt condition would match more than was meant. */
export const answersEntrySchema = z.strictObject({
  match: z.strictObject({
    tool: z.string().exactOptional(),
    kind: interruptKindSchema.exactOptional(),
    interrupt: z.string().exactOptional(),
    session: z.string().exactOptional(),
    input: jsonValueSchema.exactOptional(),
    nth: z.int().min(1).exactOptional(),
  }),
  answer: z.union([resolutionSchema, z.string()]),
  times: z.union([z.int().min(1), z.literal('any')]).exactOptional(),
}) satisfies z.ZodType<AnswersEntry>;
