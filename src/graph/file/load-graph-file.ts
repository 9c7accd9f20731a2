import type { Model } from '../../core/index.js';
import { isHitlError, messageOf, ownOf } from '../../core/index.js';
import { graph as defineGraph } from '../definition/define-graph.js';
import type { Graph } from '../definition/graph-definition.js';
import type { Reducer, Reducers } from '../state/reducers.js';
import type { FileGraph } from './file-graph.js';
import type { FilePath, PlacedProblem } from './file-problem.js';
import { fileError } from './file-problem.js';
import { graphFileSchema } from './graph-file-schema.js';
import type { GraphFileOptions, GraphParts } from './graph-parts.js';
import { loadNode } from './load-node.js';
import { nameProblems } from './name-problems.js';
import type { Places } from './places.js';
import { readSource } from './read-source.js';
import { schemaProblems } from './schema-problems.js';

/** Creates the graph from a file's text, or throws one error with all its problems: see `graphFromFile`. */
export async function loadGraphFile(
  text: string,
  { file, format = file.endsWith('.json') ? 'json' : 'yaml' }: GraphFileOptions,
  parts: GraphParts,
): Promise<Graph> {
  const source = readSource(text, format);
  if (!source.ok) throw fileError(file, source.problems);
  const { value, places } = source;
  const models = new Map<string, Model>();
  const parsed = await graphFileSchema({ parts, models }).safeParseAsync(value);
  const problems = [
    ...(parsed.success ? [] : schemaProblems(parsed.error.issues, places)),
    ...nameProblems(value).map(({ path, message }) => places.place(path, message)),
  ];
  if (!parsed.success || problems.length > 0) throw fileError(file, problems);
  return build(parsed.data, [], { file, places, parts, models });
}

interface Loading {
  readonly file: string;
  readonly places: Places;
  readonly parts: GraphParts;
  readonly models: ReadonlyMap<string, Model>;
}

function build(written: FileGraph, path: FilePath, loading: Loading): Graph {
  const { parts, places, file, models } = loading;
  const { name, start, end, nodes, edges = [], reducers, ...options } = written;
  const { $schema: _schema, ...settings } = options;
  const loader = { parts, models, graph: (inner: FileGraph, at: FilePath) => build(inner, at, loading) };
  const builder = defineGraph(name, {
    ...settings,
    ...(reducers !== undefined && { reducers: reducersOf(reducers, parts) }),
  });
  for (const [key, node] of Object.entries(nodes)) {
    builder.node(key, loadNode(node, [...path, 'nodes', key], loader));
  }
  for (const { from, to, ...edge } of edges) builder.edge(from, to, edge);
  builder.end(...(typeof end === 'string' ? [end] : end));
  if (start !== undefined) builder.start(start);
  try {
    return builder.build();
  } catch (thrown) {
    if (!isHitlError(thrown) || thrown.code !== 'BAD_GRAPH') throw thrown;
    const told = thrown.detail?.problems ?? [messageOf(thrown)];
    throw fileError(
      file,
      told.map((message) => placed(String(message), written, path, places)),
    );
  }
}

/** Locates a structural problem in a graph at the edge or node that its message mentions. */
function placed(message: string, written: FileGraph, path: FilePath, places: Places): PlacedProblem {
  const edge = (written.edges ?? []).findLastIndex(({ from, to }) =>
    message.startsWith(`edge ${from} → ${to}`),
  );
  if (edge !== -1) return places.place([...path, 'edges', edge], message);
  const named = /`([^`]+)`|: (\S+) →/u.exec(message);
  const name = named?.[1] ?? named?.[2];
  const isNode = name !== undefined && Object.hasOwn(written.nodes, name);
  return places.place(isNode ? [...path, 'nodes', name] : path, message);
}

function reducersOf(written: Readonly<Record<string, string>>, parts: GraphParts): Reducers {
  return Object.fromEntries(
    Object.entries(written).map(([key, name]) => [key, reducerNamed(name, parts)] as const),
  );
}

function reducerNamed(name: string, parts: GraphParts): Reducer {
  switch (name) {
    case 'append':
    case 'sum':
    case 'merge':
      return name;
    default:
      return ownOf(parts.reducers, name) ?? 'overwrite';
  }
}
