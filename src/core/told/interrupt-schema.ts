import * as z from 'zod';

import type { OnTimeout, Interrupt, ApprovalPolicy } from '../data/interrupt.js';
import { INTERRUPT_KINDS } from '../data/interrupt.js';
import {
  interruptIdSchema,
  nodePathSchema,
  toolRefSchema,
  jsonObjectSchema,
  jsonValueSchema,
  timeSchema,
} from './json-schema.js';
import { actionSchema } from './resolution-schema.js';

export const interruptKindSchema = z.enum(INTERRUPT_KINDS);

const sourceSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tool'),
    ref: toolRefSchema,
    name: z.string(),
    input: jsonValueSchema,
    raisedBy: z.enum(['tool', 'approval', 'engine']),
    title: z.string().exactOptional().meta({ description: 'What the call does, in the words of its tool' }),
  }),
  z.object({
    type: z.literal('node'),
    nodeId: z.string(),
    visit: z.int().min(1),
    phase: z.enum(['before', 'run', 'after']),
    operation: z.string().exactOptional().meta({ description: 'Which operation of a workflow asks' }),
    event: z.string().exactOptional().meta({ description: 'The event from outside that answers it' }),
    wait: z.enum(['timer', 'event']).exactOptional().meta({
      description: 'No person is asked: time answers it, or the event',
    }),
  }),
  z.object({ type: z.literal('run') }),
]);

/** Required approvers. Strict: a misspelled property must not reduce them. */
export const approversSchema = z
  .strictObject({
    need: z.int().min(1).max(20).exactOptional().meta({ description: 'How many must say the same' }),
    from: z.array(z.string()).min(1).exactOptional().meta({
      description: 'Names of people, `ann` or `https://id.example.org/ann`, and of groups, `@ops`',
    }),
    notRequester: z.boolean().exactOptional().meta({
      description: 'The people who asked for it approve nothing; `false`: also those who asked by an API may',
    }),
    issuers: z.array(z.string()).min(1).exactOptional().meta({
      description: 'The doors whose people are counted together: `local`, `tokens`, `slack`, or an issuer',
    }),
    over: z.string().min(1).exactOptional().meta({
      description: 'The member of the answer in which they must agree; default: the whole answer',
    }),
    veto: z
      .union([z.string(), z.number(), z.boolean()])
      .exactOptional()
      .meta({ description: 'One who says this, as that member or as the answer, decides at once' }),
  })
  .meta({
    id: 'ApprovalPolicy',
    description: 'The people whose word it takes, and how many',
  }) satisfies z.ZodType<ApprovalPolicy>;

const onTimeoutSchema = z
  .discriminatedUnion('action', [
    z.object({ action: z.literal('respond'), output: jsonValueSchema }),
    z.object({ action: z.literal('reject') }),
    z.object({ action: z.literal('cancel') }),
    z.object({
      action: z.literal('escalate'),
      to: z.string(),
      prompt: z.string().exactOptional(),
      timeoutMs: z.number().positive().exactOptional(),
      get onTimeout(): z.ZodExactOptional<z.ZodType<OnTimeout>> {
        return onTimeoutSchema.exactOptional();
      },
      approvers: approversSchema.exactOptional(),
    }),
  ])
  .meta({
    id: 'OnTimeout',
    description: 'What comes of a question that nobody answers in time',
  }) satisfies z.ZodType<OnTimeout>;

/** The properties of an interrupt, for documents that add some. */
export const interruptShape = {
  id: interruptIdSchema,
  kind: interruptKindSchema,
  source: sourceSchema,
  path: nodePathSchema,
  payload: jsonValueSchema,
  answerSchema: jsonObjectSchema
    .exactOptional()
    .meta({ description: 'JSON Schema of the output that `respond` must fit' }),
  kept: jsonValueSchema
    .exactOptional()
    .meta({ description: 'What the body that asked wants back with the answer' }),
  atOnce: z.literal(true).exactOptional().meta({
    description: 'The body of the call waits for the answer while it runs',
  }),
  allowed: z.array(actionSchema),
  edit: z.enum(['required', 'refused']).exactOptional().meta({
    description: 'Narrows `restart`: with another input only, or as it is shown only',
  }),
  inputSchema: jsonObjectSchema
    .exactOptional()
    .meta({ description: 'JSON Schema of the input that an edit must fit' }),
  resumeSchema: jsonObjectSchema
    .exactOptional()
    .meta({ description: 'JSON Schema of what a `restart` passes on, as its `metadata`' }),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'Fingerprint of what is shown' }),
  bound: z
    .object({ run: z.string(), tool: z.string(), code: z.string().exactOptional() })
    .exactOptional()
    .meta({
      description:
        'What an answer holds for beside what is shown: the session, the tool and its code as they were',
    }),
  raisedAt: timeSchema,
  expiresAt: timeSchema.exactOptional(),
  onTimeout: onTimeoutSchema.exactOptional(),
  approvalLastsMs: z.number().positive().exactOptional().meta({
    description: 'The time for which an approval counts, in milliseconds',
  }),
  approvers: approversSchema.exactOptional(),
  proposed: z
    .object({ by: z.object({ issuer: z.string(), subject: z.string(), name: z.string() }) })
    .exactOptional()
    .meta({ description: 'The person who wrote the input by an edit, and does not approve it' }),
  escalated: z
    .object({
      id: interruptIdSchema,
      to: z.string(),
      prompt: z.string().exactOptional(),
      approvers: approversSchema.exactOptional(),
    })
    .exactOptional()
    .meta({ description: 'The question that nobody answered in time, and who is asked in its place' }),
};

/** A point at which a run waits for a person. */
export const interruptSchema = z.object(interruptShape).meta({
  id: 'Interrupt',
  description: 'A point at which a run waits for a person',
}) satisfies z.ZodType<Interrupt>;
