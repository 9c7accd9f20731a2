import * as z from 'zod';

import {
  errorDocumentSchema,
  interruptSchema,
  jsonValueSchema,
  resolutionSchema,
  transcriptMessageSchema,
  wireEventSchema,
} from '../../core/told/schemas.js';

const id = z.string().meta({ description: 'Session id' });
/** A string that a store can search for. It cannot contain U+0000. */
const text = z.string().regex(/^[^\0]*$/u, 'contains U+0000');
const time = z.string().meta({ description: 'ISO 8601' });

/** Maximum number of items per page. */
const MOST_ITEMS = 200;

const pageQuery = {
  after: z.string().max(400).exactOptional().meta({ description: '`next` from the previous page' }),
  limit: z.coerce.number().int().min(1).max(MOST_ITEMS).default(50),
};

/** Filters for the list of open questions. */
export const waitingQuerySchema = z.object({
  kind: z.enum(['question', 'confirmation', 'gate', 'pause', 'error', 'in-doubt', 'limit']).exactOptional(),
  tool: text.max(200).exactOptional(),
  all: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({ description: '`true`: also lists timers and events, which are not questions' }),
  ...pageQuery,
});

const STATUSES = ['done', 'waiting', 'interrupted', 'failed', 'running', 'unreadable'] as const;

/** Filters for the list of sessions. */
export const sessionsQuerySchema = z.object({
  status: z.enum(STATUSES).exactOptional(),
  search: text.max(200).exactOptional(),
  ...pageQuery,
});

const waitingItemSchema = z.object({
  session: id,
  title: z.string(),
  folder: z.string().exactOptional().meta({ description: 'Working folder in which the session started' }),
  asked: z.string().meta({ description: 'The question on one line, as shown in a terminal' }),
  interrupt: interruptSchema,
});

/** One page of open questions. */
export const waitingPageSchema = z.object({
  items: z.array(waitingItemSchema),
  next: z.string().exactOptional(),
});

const summarySchema = z.object({
  id,
  title: z.string(),
  status: z.enum(STATUSES),
  waiting: z.int().min(0),
  turns: z.int().min(0),
  createdAt: time,
  updatedAt: time,
  until: time.exactOptional(),
  unread: z.literal(true).exactOptional().meta({
    description: 'An answer or event is queued, and the session has not resumed yet',
  }),
  idle: z.literal(true).exactOptional().meta({
    description: 'The process that holds the session is waiting for the user; only with status `running`',
  }),
  folder: z.string().exactOptional().meta({ description: 'Working folder in which the session started' }),
});

/** One page of sessions. */
export const sessionsPageSchema = z.object({
  items: z.array(summarySchema),
  next: z.string().exactOptional(),
});

/** One session. */
export const sessionSchema = z.object({
  id,
  title: z.string(),
  createdAt: time,
  updatedAt: time,
  open: z.array(interruptSchema).meta({ description: 'Open questions' }),
  messages: z.array(transcriptMessageSchema),
});

/** An answer, with the digest of the question that was on screen. */
export const answerRequestSchema = z.strictObject({
  interrupt: z.string().max(2_000),
  digest: z.string().max(128).meta({ description: 'Digest of the question as shown' }),
  answer: jsonValueSchema.meta({
    description:
      'A resolution such as {"action":"restart"}, a typed line such as "y", or, for a question, the answer itself',
  }),
});

/** A recorded answer. */
export const answerTakenSchema = z.object({
  status: z.enum(['recorded', 'taken', 'voted', 'left']).meta({
    description:
      '`recorded`: in the journal. `taken`: in the journal, and the running session continues. `left`: queued for the process that holds the session. `voted`: in the journal, more approvals needed',
  }),
  session: id,
  interrupt: z.string(),
  receipt: z
    .string()
    .meta({ description: 'The `Idempotency-Key` header, or a generated key. A repeated key is ignored' }),
  votes: z
    .array(z.unknown())
    .exactOptional()
    .meta({ description: 'Votes so far, for a question that needs several approvers' }),
  resolution: resolutionSchema.exactOptional(),
});

/** A request to start a session. It does not contain code: the server supplies the agent. */
export const beginRequestSchema = z.strictObject({
  text: z.string().min(1).max(100_000).meta({ description: 'First message' }),
  title: z.string().min(1).max(200).exactOptional(),
});

/** A started session. */
export const sessionBegunSchema = z.object({ id });

/** A question asked by a program. */
export const questionRequestSchema = z.strictObject({
  question: z.string().min(1).max(4_000).meta({
    description: 'Asks for an approval, unless `choices`, `form` or `text` is set',
  }),
  choices: z.array(z.string().min(1).max(1_000)).min(1).max(100).exactOptional(),
  form: z.record(z.string(), jsonValueSchema).exactOptional().meta({
    description: 'JSON Schema of a form: an object of flat fields',
  }),
  text: z.boolean().exactOptional().meta({ description: '`true`: accepts any text as the answer' }),
  facts: z.record(z.string(), z.string().max(2_000)).exactOptional().meta({
    description: 'Details to show with the question, attributed to the program',
  }),
  diff: z.string().max(200_000).exactOptional().meta({ description: 'A unified diff to show' }),
  approvers: z
    .string()
    .max(1_000)
    .exactOptional()
    .meta({ description: 'Required approvers, for example `2 of @ops`' }),
  timeout: z
    .string()
    .max(20)
    .exactOptional()
    .meta({ description: 'Time limit for the answer, for example `2d`' }),
  onTimeout: z.enum(['reject', 'cancel']).exactOptional().meta({ description: 'Default: `reject`' }),
});

/** Maximum time that a request can wait, in seconds. */
const MOST_SECONDS = 60;

/** Time to wait for an answer. */
export const questionQuerySchema = z.object({
  wait: z.coerce.number().min(0).max(MOST_SECONDS).default(0).meta({ description: 'Seconds to wait' }),
});

/** The outcome of a question. */
export const questionOutcomeSchema = z.object({
  id,
  status: z.enum(['waiting', 'answered', 'approved', 'rejected', 'used']).meta({
    description:
      '`used`: approved, and the approval was already returned to an earlier request with the same key',
  }),
  digest: z.string().exactOptional().meta({ description: 'Digest of the question as shown' }),
  answer: jsonValueSchema.exactOptional().meta({ description: 'A choice, text, or form fields' }),
  reason: z.string().exactOptional().meta({ description: 'Why it was rejected' }),
  by: z.string().exactOptional().meta({ description: 'Who answered' }),
  at: time.exactOptional(),
  expiresAt: time.exactOptional(),
});

/** A message to a run. */
export const messageRequestSchema = z.strictObject({
  text: z.string().min(1).max(10_000),
  id: z.string().max(200).exactOptional().meta({ description: 'Idempotency key; a repeated id is ignored' }),
  target: z.string().max(2_000).exactOptional(),
});

/** A sent message. */
export const messageSentSchema = z.object({
  id: z.string(),
  seq: z.int(),
  depth: z.int().meta({ description: 'Number of queued messages' }),
  isNew: z.boolean(),
});

/** A change in a session, as a stream message. */
export const changeSchema = z.object({
  session: id,
  what: z.enum(['created', 'raised', 'answered', 'ended', 'changed', 'removed']),
});

export { errorDocumentSchema, wireEventSchema };
