import type { TreeNode, TreeProgress } from '../../core/index.js';
import { rowWords } from '../../core/index.js';
import type { DrawOptions, Picture, PictureNode } from './picture.js';
import { everyNode } from './picture.js';
import type { Signs } from './labels.js';
import { edgeLabel, nodeLabel, signsOf } from './labels.js';

const CLASSES = {
  done: 'stroke:#69CB87',
  current: 'fill:#0F5223,color:#ffffff,stroke:#69CB87',
  waiting: 'stroke:#E5C07B,stroke-width:3px',
  failed: 'stroke:#E06C75,stroke-width:3px',
  skipped: 'stroke:#7F848E,stroke-dasharray:4',
  undone: 'stroke:#7F848E,stroke-dasharray:2,color:#7F848E',
} as const;

/** Draws a Mermaid flowchart. Labels are quoted, and unusual characters become numeric entities. */
export function drawMermaid(picture: Picture, { ascii = false }: Pick<DrawOptions, 'ascii'>): string {
  const drawing: Drawing = { lines: [], links: [], rows: [], signs: signsOf(ascii) };
  drawNodes(drawing, picture, '  ');
  drawEnds(drawing, picture);
  const links = drawing.links.map(({ text }) => `  ${text}`);
  const taken = drawing.links.flatMap(({ isTaken }, index) => (isTaken ? [index] : []));
  return `${[
    'flowchart TD',
    ...drawing.lines,
    ...links,
    ...(taken.length === 0 ? [] : [`  linkStyle ${taken.join(',')} stroke:#69CB87,stroke-width:3px`]),
    ...classLines(picture, drawing.rows),
  ].join('\n')}\n`;
}

interface Drawing {
  readonly lines: string[];
  readonly links: { readonly text: string; readonly isTaken?: boolean }[];
  /** The drawn operations of workflow code, with their progress. */
  readonly rows: { readonly id: string; readonly progress: TreeProgress }[];
  readonly signs: Signs;
}

function drawNodes(drawing: Drawing, { nodes, edges }: Picture, indent: string): void {
  for (const node of nodes) drawNode(drawing, node, indent);
  for (const edge of edges) {
    const label = edgeLabel(edge);
    const arrow = edge.isConditional ? '-.->' : '-->';
    const text = `${edge.from} ${arrow}${label === '' ? '' : `|${quoted([label])}|`} ${edge.to}`;
    drawing.links.push({ text, isTaken: edge.taken > 0 });
  }
}

function drawNode(drawing: Drawing, node: PictureNode, indent: string): void {
  const { id, kind, inside, tools } = node;
  const { lines, links, signs } = drawing;
  const label = quoted(nodeLabel(node, signs));
  if (node.did.length > 0) {
    lines.push(`${indent}subgraph ${id}[${label}]`);
    drawRows(drawing, { id, rows: node.did, isInOrder: true }, `${indent}  `);
    lines.push(`${indent}end`);
    return;
  }
  if (kind === 'group' || kind === 'subgraph') {
    lines.push(`${indent}subgraph ${id}[${label}]`);
    drawNodes(drawing, inside, `${indent}  `);
    lines.push(`${indent}end`);
    return;
  }
  lines.push(`${indent}${id}${shaped(kind, label)}`);
  drawNodes(drawing, inside, indent);
  for (const one of inside.nodes) links.push({ text: `${id} -.- ${one.id}` });
  if (kind !== 'agent') return;
  for (const tool of tools) {
    lines.push(`${indent}${tool.id}[${quoted([`${signs.tool}${tool.name}`])}]`);
    links.push({ text: `${id} --- ${tool.id}` });
  }
}

interface Rows {
  readonly id: string;
  readonly rows: readonly TreeNode[];
  /** Whether the rows run one after another; branches run in parallel. */
  readonly isInOrder: boolean;
}

/** Draws a box for each operation that code ran, around its children. */
function drawRows(drawing: Drawing, { id, rows, isInOrder }: Rows, indent: string): void {
  const { lines, links } = drawing;
  rows.forEach((row, at) => {
    const own = `${id}_${at + 1}`;
    const { inside = [], kind, progress } = row;
    const label = quoted([row.key, ...rowWords(row)]);
    drawing.rows.push({ id: own, progress });
    if (isInOrder && at > 0) links.push({ text: `${id}_${at} --> ${own}` });
    if (inside.length === 0) {
      lines.push(`${indent}${own}${kind === 'ask' ? `{{${label}}}` : `[${label}]`}`);
      return;
    }
    lines.push(`${indent}subgraph ${own}[${label}]`);
    drawRows(drawing, { id: own, rows: inside, isInOrder: kind !== 'branches' }, `${indent}  `);
    lines.push(`${indent}end`);
  });
}

function shaped(kind: Exclude<PictureNode['kind'], 'group' | 'subgraph'>, label: string): string {
  switch (kind) {
    case 'agent':
      return `([${label}])`;
    case 'function':
    case 'tool':
    case 'workflow':
      return `[${label}]`;
    case 'human':
      return `{{${label}}}`;
    case 'choose':
      return `{${label}}`;
    case 'map':
      return `[/${label}/]`;
  }
}

function drawEnds({ lines, links }: Drawing, { nodes }: Picture): void {
  lines.push('  n0(["start"])');
  for (const { id } of nodes.filter(({ isStart }) => isStart)) links.push({ text: `n0 --> ${id}` });
  const ends = nodes.filter(({ isEnd }) => isEnd);
  if (ends.length === 0) return;
  lines.push('  n00(["end"])');
  for (const { id } of ends) links.push({ text: `${id} --> n00` });
}

/** CSS class for each progress value; operations in doubt look like waiting ones. */
const CLASS_OF = {
  done: 'done',
  running: 'current',
  waiting: 'waiting',
  'in-doubt': 'waiting',
  failed: 'failed',
  skipped: 'skipped',
  undone: 'undone',
} as const satisfies Readonly<Record<TreeProgress, keyof typeof CLASSES>>;

function classLines(picture: Picture, rows: Drawing['rows']): readonly string[] {
  const nodes = everyNode(picture);
  return Object.entries(CLASSES).flatMap(([name, style]) => {
    const ids = [
      ...nodes.filter(({ happened }) => happened?.progress === name).map(({ id }) => id),
      ...rows.filter(({ progress }) => CLASS_OF[progress] === name).map(({ id }) => id),
    ];
    return ids.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${ids.join(',')} ${name}`];
  });
}

/** Quotes a label. Also encodes `:`, because Mermaid could read the label as a style. */
function quoted(lines: readonly string[]): string {
  const safe = lines.map((line) =>
    line.replace(
      /\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}\p{M}\p{Extended_Pictographic} _.,()[\]+=/!'|-]/gu,
      (character) => `#${character.codePointAt(0) ?? 0};`,
    ),
  );
  // A list or a number at the start would be read as Markdown.
  return `"${safe.map((line) => line.replace(/^[-+]|(?<=^\d+)\./u, (character) => `#${character.charCodeAt(0)};`)).join('<br/>')}"`;
}
