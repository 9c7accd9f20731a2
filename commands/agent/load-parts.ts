import { readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { JsonValue, Model, Tool } from '../../src/core/index.js';
import type { AgentNode, CustomReducer, Graph, GraphParts, NodeBody } from '../../src/graph/index.js';
import { isGraph } from '../../src/graph/index.js';
import type { LoadModuleOptions } from '../../src/tools/index.js';
import { isTool, loadModule, refuseModule, toolSet } from '../../src/tools/index.js';

/** File names to look for next to a graph file, in this order. */
const FILES = ['parts.ts', 'parts.mts', 'parts.js', 'parts.mjs'];

/** Returns the parts module next to a graph file, or `undefined` if there is none. */
export async function partsFile(graphFile: string): Promise<string | undefined> {
  const folder = path.dirname(graphFile);
  const names = await readdir(folder).catch((): readonly string[] => []);
  const found = FILES.find((name) => names.includes(name));
  return found === undefined ? undefined : path.join(folder, found);
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Returns a schema for functions by name. */
function functions<Body>(): z.ZodRecord<z.ZodString, z.ZodCustom<Body>> {
  return z.record(z.string(), z.custom<Body>(isFunction, 'it is not a function'));
}

const Agent = z.custom<Omit<AgentNode, 'kind'>>(
  (value) => typeof value === 'object' && value !== null,
  'it is not an agent',
);

/** The recognized exports. Others are ignored. */
const Parts = z.object({
  functions: functions<NodeBody>().exactOptional(),
  tools: z.array(z.custom<Tool>(isTool, 'it is not a tool')).exactOptional(),
  agents: z.record(z.string(), Agent).exactOptional(),
  model: z.custom<(id: string) => Model | Promise<Model>>(isFunction, 'it is not a function').exactOptional(),
  reducers: functions<CustomReducer>().exactOptional(),
  combiners: functions<(results: readonly JsonValue[]) => JsonValue>().exactOptional(),
  graphs: z.record(z.string(), z.custom<Graph>(isGraph, 'it is not a graph')).exactOptional(),
});

/**
 * Loads the parts that a module exports. Loading runs the module, so ask the user for trust first (G34).
 * @throws HitlError BAD_GRAPH with the name of the invalid part.
 */
export async function loadParts(file: string, options: LoadModuleOptions): Promise<GraphParts> {
  const { exports, place } = await loadModule(file, 'a workflow', options);
  const parsed = Parts.safeParse({ ...exports });
  if (!parsed.success) {
    const what = parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ');
    return refuseModule(place, {
      what,
      hint: 'for example: export const functions = { publish: (state) => … }; export const tools = [lookUp]',
    });
  }
  const { tools = [], ...parts } = parsed.data;
  return { ...parts, tools: toolSet(tools) };
}
