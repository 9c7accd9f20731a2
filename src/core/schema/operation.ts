import * as z from 'zod';

import { OPERATION_KINDS } from '../operation/index.js';
import type { OperationEvent } from '../operation/index.js';
import { errorSchema } from './error.js';
import { nodePathSchema } from './ids.js';
import { jsonValueSchema, timeSchema } from './json.js';

const atOperation = {
  node: z.string(),
  visit: z.int().min(1),
  scope: nodePathSchema.exactOptional(),
  key: z.string(),
};

/** The events of operations of a workflow's code. */
export const operationEventSchemas = [
  z.object({
    type: z.literal('op-started'),
    ...atOperation,
    kind: z.enum(OPERATION_KINDS),
    digest: z.string(),
    title: z.string().exactOptional(),
    effect: z.enum(['none', 'idempotent', 'once']),
    startedAt: timeSchema.exactOptional(),
    code: z.string().exactOptional(),
  }) satisfies z.ZodType<OperationEvent>,
  z.object({
    type: z.literal('op-settled'),
    ...atOperation,
    output: jsonValueSchema,
  }) satisfies z.ZodType<OperationEvent>,
  z.object({
    type: z.literal('op-failed'),
    ...atOperation,
    error: errorSchema,
    again: timeSchema.exactOptional(),
  }) satisfies z.ZodType<OperationEvent>,
] as const;
