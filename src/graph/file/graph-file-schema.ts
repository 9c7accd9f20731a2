import * as z from 'zod';

import type { FileGraph, FileNode } from './file-graph.js';
import { meantName } from './meant-name.js';
import type { KnownParts } from './node-schemas.js';
import {
  common,
  edgeSchema,
  expression,
  leavesFor,
  mustHold,
  objectTemplate,
  retry,
  simpleNodes,
  steer,
  strict,
  whole,
} from './node-schemas.js';

/**
 * Creates the schema of a graph file. If parts are given, the names in the file must exist in them; otherwise
 * any name is valid. Checks apply only to leaf values, so that all problems are reported at once: zod skips
 * an object's own check if part of the object is invalid.
 */
export function graphFileSchema(known?: KnownParts): z.ZodType<FileGraph> {
  const leaves = leavesFor(known);
  const inner = z.lazy((): z.ZodType<FileNode> => node);
  const members = z.record(nodeName, inner);
  const node: z.ZodType<FileNode> = z
    .discriminatedUnion(
      'kind',
      [
        ...simpleNodes(leaves),
        strict({
          kind: z.literal('choose'),
          select: expression.describe('The name of a candidate'),
          candidates: members,
          fallback: z.string().exactOptional(),
          ...whole,
        }),
        strict({
          kind: z.literal('group'),
          members,
          join: z.union([z.enum(['all', 'any']), z.int().min(1)]).exactOptional(),
          onBranchError: z.enum(['fail-fast', 'continue', 'collect']).exactOptional(),
          onConflict: z.enum(['error', 'last', 'first']).exactOptional(),
          ...common,
          retry,
        }),
        strict({
          kind: z.literal('map'),
          items: expression.describe(
            'The list. The worker reads each item as `state.item`, and its index as `state.index`',
          ),
          worker: inner,
          maxParallel: z.int().min(1).exactOptional(),
          reduce: leaves.combiner.exactOptional(),
          ...whole,
        }),
        strict({
          kind: z.literal('subgraph'),
          graph: z.union([leaves.graph, z.lazy((): z.ZodType<FileGraph> => graph)]),
          state: z.enum(['shared', 'isolated']).exactOptional(),
          input: objectTemplate.describe('The initial inner state').exactOptional(),
          result: objectTemplate
            .describe('Values to copy to the outer state, read from the inner state')
            .exactOptional(),
          ...whole,
        }).superRefine(
          mustHold(
            ({ outputKey: key, state, result }) =>
              key === undefined || (state !== 'shared' && result === undefined),
            '`outputKey` has no effect with `state: shared` or `result`',
          ),
        ),
      ],
      { error: wrongKind },
    )
    .meta({ id: 'Node' });
  const graph: z.ZodType<FileGraph> = strict({
    $schema: z.string().describe('For editors').exactOptional(),
    name: z.string().min(1),
    start: z.string().describe('Default: the first node').exactOptional(),
    end: z.union([z.string(), z.array(z.string()).min(1)]),
    maxIterations: z.int().min(1).exactOptional(),
    strict: z.boolean().exactOptional(),
    reducers: z.record(z.string(), leaves.reducer).exactOptional(),
    interruptBefore: points,
    interruptAfter: points,
    steer,
    nodes: z.record(nodeName, node),
    edges: z.array(edgeSchema).exactOptional(),
  }).meta({ id: 'Graph' });
  return graph;
}

const nodeName = z
  .string()
  .regex(
    /^[A-Za-z][\w.-]{0,63}$/u,
    'a node name starts with a letter, followed by letters, digits, `_`, `.` or `-`, 64 characters at most',
  );

const points = z.union([z.literal('*'), z.array(z.string())]).exactOptional();
const KINDS = ['function', 'set', 'agent', 'tool', 'human', 'choose', 'group', 'map', 'subgraph'];

function wrongKind({
  code,
  input,
}: {
  readonly code?: string;
  readonly input?: unknown;
}): string | undefined {
  if (code !== 'invalid_union') return undefined;
  const kind: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'kind') : undefined;
  if (typeof kind !== 'string') return `a node needs a \`kind\`${meantName('', KINDS)}`;
  return `unknown node kind \`${kind}\`${meantName(kind, KINDS)}`;
}
