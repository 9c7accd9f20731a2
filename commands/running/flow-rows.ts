import { assertNever, columnsOf, plainLine } from '../../src/core/index.js';
import type { NodeProgress } from '../../src/graph/index.js';
import type { Theme } from '../../src/render/index.js';

/** The width of the name of a node, and the rows that all of them take at most. */
const NAME_COLUMNS = 30;
const MOST_ROWS = 3;
const GAP = '  ';

/** Draws the nodes of a workflow with their marks, in rows that fit; of more rows those around what runs. */
export function flowRows(nodes: readonly NodeProgress[], theme: Theme, columns: number): readonly string[] {
  const rows: { text: string; columns: number; runs: boolean }[] = [];
  for (const node of nodes) {
    const { text, columns: width } = shown(node, theme);
    const runs = node.progress === 'current' || node.progress === 'waiting';
    const last = rows.at(-1);
    if (last !== undefined && last.columns + GAP.length + width < columns) {
      last.text += GAP + text;
      last.columns += GAP.length + width;
      last.runs ||= runs;
    } else rows.push({ text, columns: width, runs });
  }
  const at = rows.findLastIndex(({ runs }) => runs);
  const first = Math.max(0, Math.min(at - 1, rows.length - MOST_ROWS));
  return rows.slice(first, first + MOST_ROWS).map(({ text }) => text);
}

function shown({ node, progress, visits }: NodeProgress, theme: Theme) {
  const name = `${plainLine(node, NAME_COLUMNS)}${visits > 1 ? ` ×${visits}` : ''}`;
  const { symbols, dim, strong, success, failure, warning } = theme;
  const marked = (mark: string, paint: (text: string) => string, style = dim) => ({
    text: `${paint(mark)} ${style(name)}`,
    columns: columnsOf(mark) + 1 + columnsOf(name),
  });
  switch (progress) {
    case undefined:
    case 'undone':
      return marked('·', dim);
    case 'current':
      return marked('▸', strong, strong);
    case 'waiting':
      return marked(symbols.waiting, warning, strong);
    case 'done':
      return marked(symbols.done, success);
    case 'failed':
      return marked(symbols.failed, failure);
    case 'skipped':
      return marked(symbols.cancelled, dim);
    default:
      return assertNever(progress);
  }
}
