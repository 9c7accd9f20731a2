import { escapeText, rowText, treeRows } from '../../core/index.js';
import type { DrawOptions, Picture, PictureNode } from './picture.js';
import { everyNode } from './picture.js';
import { edgeLabel, visitsText } from './labels.js';
import { markOf } from './progress.js';

/**
 * Lists the nodes and their edges for a terminal, starting with the start node. Uses no colors and escapes
 * all text.
 */
export function drawText(
  { name, version }: { readonly name: string; readonly version: number | undefined },
  picture: Picture,
  { ascii = false, columns }: Pick<DrawOptions, 'ascii' | 'columns'>,
): string {
  const hasMarks = everyNode(picture).some(({ happened }) => happened !== undefined);
  const head = `graph ${escapeText(name)}${version === undefined ? '' : `  version ${version}`}`;
  return `${[head, ...nodeLines(picture, { ascii, hasMarks, columns }, '  ')].join('\n')}\n`;
}

interface Style {
  readonly ascii: boolean;
  readonly hasMarks: boolean;
  readonly columns: number | undefined;
}

function nodeLines({ nodes, edges }: Picture, style: Style, indent: string): readonly string[] {
  const names = new Map(nodes.map(({ id, name }) => [id, escapeText(name)]));
  const arrow = style.ascii ? '->' : '→';
  return nodes.flatMap((node) => {
    const out = edges
      .filter(({ from }) => from === node.id)
      .map((edge) => {
        const label = edgeLabel(edge);
        const condition = edge.isConditional && edge.when !== undefined ? `if ${label}` : label;
        const taken = edge.taken > 0 ? `  [taken${edge.taken > 1 ? ` ${edge.taken} times` : ''}]` : '';
        const why = condition === '' ? '' : `  ${escapeText(condition)}`;
        return `${indent}    ${arrow} ${names.get(edge.to) ?? ''}${why}${taken}`;
      });
    const inside = nodeLines(node.inside, style, `${indent}    ${style.ascii ? '|' : '│'} `);
    return [`${indent}${nodeLine(node, style)}`, ...didLines(node, style, `${indent}  `), ...inside, ...out];
  });
}

/** Lists the operations that workflow code ran, in the same format as other views of a run. */
function didLines({ did }: PictureNode, { ascii, columns }: Style, indent: string): readonly string[] {
  const room = columns === undefined ? undefined : columns - indent.length;
  return treeRows(did, { ascii, columns: room }).map((row) => `${indent}${rowText(row)}`);
}

function nodeLine(node: PictureNode, { ascii, hasMarks }: Style): string {
  const { name, happened, isStart, isEnd, before, after, operations } = node;
  const mark = happened === undefined ? ' ' : markOf(happened.progress, { ascii });
  const notes = [
    ...(isStart ? ['start'] : []),
    ...(isEnd ? ['end'] : []),
    ...(before ? ['stops before'] : []),
    ...(after ? ['stops after'] : []),
    ...(operations.length > 0 ? [`stops before operations: ${operations.map(escapeText).join(' ')}`] : []),
  ];
  const noted = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const told = happened === undefined ? '' : `  [${happened.progress}${visitsText(happened.visits)}]`;
  return `${hasMarks ? `${mark} ` : ''}${escapeText(name)}  ${kindText(node)}${noted}${told}`;
}

function kindText({ kind, tools }: PictureNode): string {
  const names = tools.map(({ name }) => escapeText(name)).join(', ');
  if (kind === 'tool') return `tool ${names}`;
  return names === '' ? kind : `${kind} with ${names}`;
}
