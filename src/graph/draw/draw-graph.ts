import { present } from '../../core/index.js';
import type { Graph } from '../definition/graph-definition.js';
import { drawJson } from './draw-json.js';
import { drawMermaid } from './draw-mermaid.js';
import type { DrawOptions } from './picture.js';
import { pictureOf } from './picture.js';
import { drawText } from './draw-text.js';

/**
 * Draws a graph as text that ends in a newline. The same graph and state always produce the same bytes, and
 * untrusted text appears only in labels.
 */
export function drawGraph(
  graph: Graph,
  { format, state, tree, columns, ascii = false }: DrawOptions,
): string {
  const picture = pictureOf(graph, state, tree);
  const version = (state ?? graph).outline?.version;
  switch (format) {
    case 'text':
      return drawText({ name: graph.name, version }, picture, { ascii, ...present({ columns }) });
    case 'mermaid':
      return drawMermaid(picture, { ascii });
    case 'json':
      return drawJson({ graph, version }, picture, state);
  }
}
