import type { DrawOptions } from './draw-options.js';
import type { Signs } from './labels.js';
import { edgeLabel, nodeLabel, signsOf } from './labels.js';
import type { Picture, PictureEdge, PictureNode } from './picture.js';
import type { Progress } from './progress.js';

const SHAPES = {
  agent: 'shape=ellipse',
  function: 'shape=box, style="rounded,filled"',
  tool: 'shape=box',
  human: 'shape=hexagon',
  choose: 'shape=diamond',
  map: 'shape=parallelogram',
} as const;

const COLOURS: Readonly<Record<Progress, string>> = {
  done: 'color="#69CB87"',
  current: 'color="#69CB87", fillcolor="#0F5223"',
  waiting: 'color="#E5C07B", penwidth=3',
  failed: 'color="#E06C75", penwidth=3',
  skipped: 'color="#7F848E", fontcolor="#7F848E"',
  undone: 'color="#7F848E", fontcolor="#7F848E"',
};

/** Graphviz. Every text is a quoted string, and every id is made. */
export function drawDot(
  name: string,
  picture: Picture,
  { ascii = false }: Pick<DrawOptions, 'ascii'>,
): string {
  const drawing: Drawing = { lines: [], links: [], anchors: new Map(), signs: signsOf(ascii) };
  drawNodes(drawing, picture, '  ');
  drawEnds(drawing, picture);
  return `${[
    `strict digraph ${quoted([name])} {`,
    '  graph [rankdir=LR, compound=true, bgcolor="#333537", fontcolor="#cccccc", color="#cccccc"]',
    '  node [style=filled, fillcolor="#333537", fontcolor="#ffffff", color="#cccccc"]',
    '  edge [color="#cccccc", fontcolor="#cccccc"]',
    ...drawing.lines,
    ...drawing.links.map((link) => `  ${link}`),
    '}',
  ].join('\n')}\n`;
}

interface Drawing {
  readonly lines: string[];
  readonly links: string[];
  /** The node inside a cluster that stands for it at the end of an edge: Graphviz links no clusters. */
  readonly anchors: Map<string, string>;
  readonly signs: Signs;
}

function drawNodes(drawing: Drawing, { nodes, edges }: Picture, indent: string): void {
  for (const node of nodes) drawNode(drawing, node, indent);
  for (const edge of edges) drawing.links.push(link(drawing, edge));
}

function drawNode(drawing: Drawing, node: PictureNode, indent: string): void {
  const { id, kind, inside, tools, happened } = node;
  const { lines, links, signs, anchors } = drawing;
  const label = `label=${quoted(nodeLabel(node, signs))}`;
  const colour = happened === undefined ? '' : `, ${COLOURS[happened.progress]}`;
  if (kind === 'group' || kind === 'subgraph') {
    const anchor = `${id}a`;
    lines.push(`${indent}subgraph cluster_${id} {`, `${indent}  graph [${label}${colour}]`);
    lines.push(`${indent}  ${anchor} [shape=point, style=invis]`);
    drawNodes(drawing, inside, `${indent}  `);
    lines.push(`${indent}}`);
    anchors.set(id, anchor);
    return;
  }
  lines.push(`${indent}${id} [${label}, ${SHAPES[kind]}${colour}]`);
  drawNodes(drawing, inside, indent);
  for (const one of inside.nodes)
    links.push(
      `${id} -> ${end(drawing, one.id)} [style=dotted, arrowhead=none${clip(drawing, 'lhead', one.id)}]`,
    );
  if (kind !== 'agent') return;
  for (const tool of tools) {
    lines.push(`${indent}${tool.id} [label=${quoted([`${signs.tool}${tool.name}`])}, shape=box]`);
    links.push(`${id} -> ${tool.id} [arrowhead=none]`);
  }
}

function link(drawing: Drawing, edge: PictureEdge): string {
  const label = edgeLabel(edge);
  const looks = [
    ...(label === '' ? [] : [`label=${quoted([label])}`]),
    ...(edge.isConditional ? ['style=dotted'] : []),
    ...(edge.taken > 0 ? ['color="#69CB87"', 'penwidth=2'] : []),
  ].join(', ');
  const clipped = `${clip(drawing, 'ltail', edge.from)}${clip(drawing, 'lhead', edge.to)}`;
  const all = `${looks}${looks === '' ? clipped.replace(', ', '') : clipped}`;
  return `${end(drawing, edge.from)} -> ${end(drawing, edge.to)}${all === '' ? '' : ` [${all}]`}`;
}

function end({ anchors }: Drawing, id: string): string {
  return anchors.get(id) ?? id;
}

function clip({ anchors }: Drawing, side: 'lhead' | 'ltail', id: string): string {
  return anchors.has(id) ? `, ${side}=cluster_${id}` : '';
}

function drawEnds(drawing: Drawing, { nodes }: Picture): void {
  const { lines, links } = drawing;
  lines.push('  n0 [label="start", shape=box, style="rounded,filled"]');
  for (const { id } of nodes.filter(({ isStart }) => isStart))
    links.push(`n0 -> ${end(drawing, id)}${bracketed(clip(drawing, 'lhead', id))}`);
  const ends = nodes.filter(({ isEnd }) => isEnd);
  if (ends.length === 0) return;
  lines.push('  n00 [label="end", shape=box, style="rounded,filled"]');
  for (const { id } of ends) links.push(`${end(drawing, id)} -> n00${bracketed(clip(drawing, 'ltail', id))}`);
}

function bracketed(looks: string): string {
  return looks === '' ? '' : ` [${looks.slice(2)}]`;
}

/** A string of Graphviz: a backslash is doubled, as labels have escapes, and `&` begins an entity. */
function quoted(lines: readonly string[]): string {
  const safe = lines.map((line) =>
    line
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
      .replaceAll('&', '&amp;')
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' '),
  );
  return `"${safe.join('\\n')}"`;
}
