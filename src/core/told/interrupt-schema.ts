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
    title: z.string().exactOptional().meta({ description: 'One-line summary of the call, from the tool' }),
  }),
  z.object({
    type: z.literal('node'),
    nodeId: z.string(),
    visit: z.int().min(1),
    phase: z.enum(['before', 'run', 'after']),
    operation: z.string().exactOptional().meta({ description: 'The workflow operation that asks' }),
    event: z.string().exactOptional().meta({ description: 'The external event that answers it' }),
    wait: z.enum(['timer', 'event']).exactOptional().meta({
      description: 'Answered by a timer or an event, not by a person',
    }),
  }),
  z.object({ type: z.literal('run') }),
]);

/**
 * Schema of the required approvers. Unknown properties are errors, so that a misspelled one does not weaken
 * the requirement.
 */
export const approversSchema = z
  .strictObject({
    need: z.int().min(1).max(20).exactOptional().meta({ description: 'Number of required approvals' }),
    from: z.array(z.string()).min(1).exactOptional().meta({
      description: 'People (`ann` or `https://id.example.org/ann`) and groups (`@ops`)',
    }),
    notRequester: z.boolean().exactOptional().meta({
      description:
        '`true`: requesters cannot approve. `false`: requesters can approve, even if they asked through an API',
    }),
    issuers: z.array(z.string()).min(1).exactOptional().meta({
      description: 'Accepted issuers: `local`, `tokens`, `slack`, or an issuer’s URL',
    }),
    over: z.string().min(1).exactOptional().meta({
      description: 'The property of the answer that votes must agree on. Default: the whole answer',
    }),
    veto: z
      .union([z.string(), z.number(), z.boolean()])
      .exactOptional()
      .meta({ description: 'A single vote with this value decides immediately' }),
  })
  .meta({
    id: 'ApprovalPolicy',
    description: 'The required approvers and their number',
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
    description: 'The outcome of a question that is not answered in time',
  }) satisfies z.ZodType<OnTimeout>;

/** Properties of an interrupt, for schemas that extend them. */
export const interruptShape = {
  id: interruptIdSchema,
  kind: interruptKindSchema,
  source: sourceSchema,
  path: nodePathSchema,
  payload: jsonValueSchema,
  answerSchema: jsonObjectSchema.exactOptional().meta({ description: 'JSON Schema of the `respond` output' }),
  kept: jsonValueSchema
    .exactOptional()
    .meta({ description: 'A value returned to the asking tool with the answer' }),
  atOnce: z.literal(true).exactOptional().meta({
    description: 'The call is still running and is waiting for the answer',
  }),
  allowed: z.array(actionSchema),
  edit: z.enum(['required', 'refused']).exactOptional().meta({
    description: 'Restricts `restart` to a changed input, or to the input as shown',
  }),
  inputSchema: jsonObjectSchema.exactOptional().meta({ description: 'JSON Schema of an edited input' }),
  resumeSchema: jsonObjectSchema
    .exactOptional()
    .meta({ description: 'JSON Schema of `metadata` in a `restart`' }),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'Digest of the shown content' }),
  bound: z
    .object({ run: z.string(), tool: z.string(), code: z.string().exactOptional() })
    .exactOptional()
    .meta({
      description: 'Session, tool and code that the answer is bound to, in addition to the shown content',
    }),
  raisedAt: timeSchema,
  expiresAt: timeSchema.exactOptional(),
  onTimeout: onTimeoutSchema.exactOptional(),
  approvalLastsMs: z.number().positive().exactOptional().meta({
    description: 'How long an approval is valid, in milliseconds',
  }),
  approvers: approversSchema.exactOptional(),
  proposed: z
    .object({ by: z.object({ issuer: z.string(), subject: z.string(), name: z.string() }) })
    .exactOptional()
    .meta({ description: 'The person who edited the input and cannot approve it' }),
  escalated: z
    .object({
      id: interruptIdSchema,
      to: z.string(),
      prompt: z.string().exactOptional(),
      approvers: approversSchema.exactOptional(),
    })
    .exactOptional()
    .meta({ description: 'The unanswered question that this one replaced' }),
};

/** Schema of an interrupt: a point at which a run waits for a person. */
export const interruptSchema = z.object(interruptShape).meta({
  id: 'Interrupt',
  description: 'A point at which a run waits for a person',
}) satisfies z.ZodType<Interrupt>;
