import type { GraphFileOptions, GraphParts } from './file/graph-parts.js';
import type { Graph } from './definition/graph-definition.js';

/**
 * Makes a graph of the text of a YAML or JSON file, which can only name functions, tools, agents and the like: `parts`
 * has them. The readers of YAML and of schemas are loaded by the first call.
 * @throws HitlError BAD_GRAPH with every problem on a line of its own, as `file:line:column: path: what is wrong`; the
 *   detail holds them as data.
 */
export async function graphFromFile(
  text: string,
  options: GraphFileOptions,
  parts: GraphParts = {},
): Promise<Graph> {
  const { loadGraphFile } = await import('./file/load-graph-file.js');
  return await loadGraphFile(text, options, parts);
}
