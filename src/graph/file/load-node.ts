import * as z from 'zod';

import type { JsonObject, Model } from '../../core/index.js';
import {
  assertNever,
  hasPatterns,
  HitlError,
  isJsonArray,
  messageOf,
  ownOf,
  PATTERN_TOO_SLOW,
  toolSetOf,
  withinPatternTime,
} from '../../core/index.js';
import type { NodeSchema } from '../definition/node-schema.js';
import type { AgentNode, Graph, HumanNode, NodeDefinition } from '../definition/graph-definition.js';
import type { BareNode, FileGraph, FileNode } from './file-graph.js';
import type { FilePath } from './file-problem.js';
import type { GraphParts } from './graph-parts.js';
import {
  fill,
  fillObject,
  fillText,
  parseStateExpression,
  parseTemplate,
  textOn,
  valueOn,
} from './template.js';

/** Dependencies for loading a node. */
export interface NodeLoader {
  readonly parts: GraphParts;
  /** The models, by the names used in the file. */
  readonly models: ReadonlyMap<string, Model>;
  /** Builds a graph nested in the file. */
  readonly graph: (graph: FileGraph, path: FilePath) => Graph;
}

/**
 * Creates a node from a validated file, in which every name exists.
 * @throws HitlError BAD_GRAPH for an invalid JSON Schema.
 */
export function loadNode(written: FileNode, path: FilePath, loader: NodeLoader): NodeDefinition {
  const { inputSchema, outputSchema, ...node } = written;
  return {
    ...loadUnchecked(node, path, loader),
    ...(inputSchema !== undefined && { inputSchema: schemaOf(inputSchema, [...path, 'inputSchema']) }),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema, [...path, 'outputSchema']) }),
  };
}

function schemaOf(schema: JsonObject, path: FilePath): NodeSchema {
  try {
    const type = z.fromJSONSchema(schema);
    return hasPatterns(schema) ? limited(type) : type;
  } catch (cause) {
    throw new HitlError('BAD_GRAPH', `${path.join('.')}: not a valid JSON Schema: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Limits how long the patterns in a file's schema may run, because they are untrusted (T18). */
function limited(type: z.ZodType): NodeSchema {
  const late = { issues: [{ message: PATTERN_TOO_SLOW }] };
  const check = (value: unknown) => withinPatternTime(() => type['~standard'].validate(value)) ?? late;
  return { '~standard': { validate: check } };
}

function loadUnchecked(node: BareNode, path: FilePath, loader: NodeLoader): NodeDefinition {
  const { parts } = loader;
  switch (node.kind) {
    case 'function': {
      const { run, ...options } = node;
      return { ...options, run: found(ownOf(parts.functions, run), run) };
    }
    case 'set':
      return setNode(node);
    case 'agent':
      return agentNode(node, loader);
    case 'tool': {
      const { tool, input = {}, ...options } = node;
      const template = parseTemplate(input);
      return {
        ...options,
        tool: found(parts.tools?.get(tool), tool),
        input: (state) => fill(template, state),
      };
    }
    case 'human':
      return humanNode(node);
    case 'choose': {
      const { select, candidates, ...options } = node;
      const choice = parseStateExpression(select);
      return {
        ...options,
        select: (state) => textOn(state, choice),
        candidates: loadAll(candidates, [...path, 'candidates'], loader),
      };
    }
    case 'group': {
      const { members, ...options } = node;
      return { ...options, members: loadAll(members, [...path, 'members'], loader) };
    }
    case 'map':
      return mapNode(node, path, loader);
    case 'subgraph':
      return subgraphNode(node, path, loader);
    default:
      return assertNever(node);
  }
}

type Kind<Name extends BareNode['kind']> = Extract<BareNode, { kind: Name }>;

function loadAll(
  nodes: Readonly<Record<string, FileNode>>,
  path: FilePath,
  loader: NodeLoader,
): Readonly<Record<string, NodeDefinition>> {
  return Object.fromEntries(
    Object.entries(nodes).map(([name, node]) => [name, loadNode(node, [...path, name], loader)]),
  );
}

/** Creates a node that only changes the state, so an interrupted run can safely run it again. */
function setNode({ set = {}, unset = [], kind: _kind, ...options }: Kind<'set'>): NodeDefinition {
  const template = parseTemplate(set);
  return {
    ...options,
    kind: 'function',
    effect: 'none',
    run: (state) => ({ patch: fillObject(template, state), unset }),
  };
}

function agentNode(node: Kind<'agent'>, { parts, models }: NodeLoader): AgentNode {
  const { agent, model, tools, prompt, ...options } = node;
  const base = agent === undefined ? {} : found(ownOf(parts.agents, agent), agent);
  const template = prompt === undefined ? undefined : parseTemplate(prompt);
  return {
    ...base,
    ...options,
    ...(model !== undefined && { model: found(models.get(model), model) }),
    ...(tools !== undefined && {
      tools: toolSetOf(tools.map((name) => found(parts.tools?.get(name), name))),
    }),
    ...(template !== undefined && { prompt: (state: JsonObject) => fillText(template, state) }),
  };
}

function humanNode({
  prompt,
  schema,
  payload,
  timeout,
  onTimeout,
  approvalLasts,
  approvers,
  ...options
}: Kind<'human'>): HumanNode {
  const question = parseTemplate(prompt);
  const details = payload === undefined ? undefined : parseTemplate(payload);
  return {
    ...options,
    question: (state) => ({
      prompt: fillText(question, state),
      ...(schema !== undefined && { schema }),
      ...(details !== undefined && { payload: fill(details, state) }),
      ...(timeout !== undefined && { timeout }),
      ...(onTimeout !== undefined && { onTimeout }),
      ...(approvalLasts !== undefined && { approvalLasts }),
      ...(approvers !== undefined && { approvers }),
    }),
  };
}

function mapNode(node: Kind<'map'>, path: FilePath, loader: NodeLoader): NodeDefinition {
  const { items, worker, reduce, ...options } = node;
  const list = parseStateExpression(items);
  return {
    ...options,
    items: (state) => {
      const value = valueOn(state, list);
      if (typeof value === 'object' && value !== null && isJsonArray(value)) return value;
      throw new HitlError('BAD_STATE', `the map items \`${items}\` are not a list`);
    },
    worker: loadNode(worker, [...path, 'worker'], loader),
    ...(reduce !== undefined && { reduce: found(ownOf(loader.parts.combiners, reduce), reduce) }),
  };
}

function subgraphNode(node: Kind<'subgraph'>, path: FilePath, loader: NodeLoader): NodeDefinition {
  const { graph, input, result, ...options } = node;
  const start = input === undefined ? undefined : parseTemplate(input);
  const end = result === undefined ? undefined : parseTemplate(result);
  return {
    ...options,
    graph:
      typeof graph === 'string'
        ? found(ownOf(loader.parts.graphs, graph), graph)
        : loader.graph(graph, [...path, 'graph']),
    ...(start !== undefined && { input: (state: JsonObject) => fillObject(start, state) }),
    ...(end !== undefined && { result: (inner: JsonObject) => fillObject(end, inner) }),
  };
}

function found<Part>(part: Part | undefined, name: string): Part {
  if (part !== undefined) return part;
  throw new HitlError('INTERNAL', `the schema accepted the unknown name \`${name}\``);
}
