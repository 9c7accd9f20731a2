import * as z from 'zod';

import { nodePathSchema, jsonObjectSchema, jsonValueSchema, timeSchema, errorSchema } from './json-schema.js';
import { actorSchema } from './resolution-schema.js';
import type { OperationEvent } from '../state/operation.js';
import { OPERATION_KINDS } from '../state/operation.js';
import type { GraphOutline } from '../data/outline.js';

/** An event's path. */
const scope = {
  scope: nodePathSchema.exactOptional().meta({
    description: 'The node where the event happened; absent for the session itself',
  }),
};

/** Creates the schema of an event. The scope follows the event's own properties. */
export function event<Type extends string, Told extends z.ZodRawShape>(type: Type, told: Told) {
  return z.object({ type: z.literal(type), ...told, ...scope });
}

const count = z.int().min(1);
const effectSchema = z.enum(['none', 'idempotent', 'once']);
const atNode = { node: z.string(), visit: count, ...scope };
const changesSchema = z.object({ set: jsonObjectSchema, unset: z.array(z.string()).exactOptional() });
const pointsSchema = z.union([z.literal('*'), z.array(z.string())]);
const reducersSchema = z.record(z.string(), z.enum(['append', 'sum', 'merge']));

const atOperation = {
  node: z.string(),
  visit: z.int().min(1),
  scope: nodePathSchema.exactOptional(),
  key: z.string(),
};

/** Schemas of the events about operations in workflow code. */
const operationEventSchemas = [
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

const sideSchema = z.enum(['before', 'after', 'both']);

/** Schema of a graph definition's outline. */
const outlineSchema = z
  .object({
    version: z.int().min(1).exactOptional(),
    nodes: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        gate: sideSchema.exactOptional(),
        when: z.string().exactOptional(),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        when: z.string().exactOptional(),
        priority: z.number().exactOptional(),
        weight: z.number().exactOptional(),
      }),
    ),
    ends: z.array(z.string()),
    gates: z.record(z.string(), sideSchema).exactOptional(),
  })
  .meta({
    id: 'GraphOutline',
    description: 'The definition as stored with a session',
  }) satisfies z.ZodType<GraphOutline>;

/** Schemas of graph events. */
export const graphEventSchemas = [
  event('graph-started', {
    name: z.string(),
    hash: z.string(),
    start: z.string(),
    seed: z.int(),
    maxIterations: count,
    inherit: z.boolean(),
    set: jsonObjectSchema,
    reducers: reducersSchema,
    before: pointsSchema,
    after: pointsSchema,
    gates: pointsSchema.exactOptional(),
    nodes: z.array(z.string()).exactOptional(),
    outline: outlineSchema.exactOptional(),
  }),
  event('graph-migrated', {
    hash: z.string(),
    outline: outlineSchema,
    before: pointsSchema,
    after: pointsSchema,
    reducers: reducersSchema,
    gates: pointsSchema.exactOptional(),
    nodes: z.array(z.string()).exactOptional(),
    passed: z.array(z.string()).exactOptional(),
    by: actorSchema,
  }),
  z.object({
    type: z.literal('node-entered'),
    ...atNode,
    edge: z.int().min(0).exactOptional(),
    drew: z.boolean().exactOptional(),
  }),
  z.object({
    type: z.literal('node-started'),
    ...atNode,
    attempt: count,
    effect: effectSchema,
    startedAt: timeSchema,
    code: z.string().exactOptional(),
  }),
  z.object({
    type: z.literal('node-settled'),
    ...atNode,
    output: jsonValueSchema.exactOptional(),
    changes: changesSchema,
    patch: changesSchema.exactOptional(),
  }),
  z.object({ type: z.literal('node-failed'), ...atNode, error: errorSchema }),
  z.object({ type: z.literal('step-started'), ...atNode, key: z.string(), effect: effectSchema }),
  z.object({ type: z.literal('step-settled'), ...atNode, key: z.string(), output: jsonValueSchema }),
  ...operationEventSchemas,
  z.object({ type: z.literal('edge-failed'), ...atNode, to: z.string(), message: z.string() }),
  z.object({
    type: z.literal('conflict-found'),
    ...atNode,
    key: z.string(),
    branches: z.array(z.string()),
    taken: z.string().exactOptional(),
  }),
  z.object({
    type: z.literal('rewound'),
    ...atNode,
    operation: z.string().exactOptional(),
    given: z.object({ output: jsonValueSchema }).exactOptional(),
    by: actorSchema.exactOptional(),
  }),
  event('run-continued', {}),
] as const;
