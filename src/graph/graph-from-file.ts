import type { GraphFileOptions, GraphParts } from './file/graph-parts.js';
import type { Graph } from './definition/graph-definition.js';

/**
 * Creates a graph from the text of a YAML or JSON file. `parts` provides the functions, tools and agents that
 * it refers to. The first call loads the parsers.
 * @throws HitlError BAD_GRAPH with every problem on its own line, as `file:line:column: path: problem`, and
 * as data in the detail.
 */
export async function graphFromFile(
  text: string,
  options: GraphFileOptions,
  parts: GraphParts = {},
): Promise<Graph> {
  const { loadGraphFile } = await import('./file/load-graph-file.js');
  return await loadGraphFile(text, options, parts);
}
