import { assertNever, columnsOf, plainLine } from '../../src/core/index.js';
import type { FlowProgress, NodeProgress } from '../../src/graph/index.js';
import { markOf, signsOf } from '../../src/graph/index.js';
import type { Theme } from '../../src/render/index.js';

/** Maximum width of a node's name in columns, and maximum number of rows. */
const NAME_COLUMNS = 30;
const MOST_ROWS = 3;
const GAP = '  ';
/** Mark of a node that has not been entered. */
const TO_COME = '·';

interface Cell {
  readonly text: string;
  readonly columns: number;
  /** Whether a node in the cell is running or waiting. */
  readonly runs: boolean;
}

/**
 * Draws a workflow in rows that fit the width: its version, and each node with its status and the points
 * where the run stops. Uses the same marks as `hitl graph`. If there are too many rows, shows those around
 * the active node.
 */
export function flowRows({ version, nodes }: FlowProgress, theme: Theme, columns: number): readonly string[] {
  const head = version === undefined ? [] : [headCell(version, theme)];
  const cells = nodes.map((node) => nodeCell(node, theme, columns));
  const rows = inRows([...head, ...cells], columns);
  if (rows.length <= MOST_ROWS) return rows.map(({ text }) => text);
  const shown = around(inRows(cells, columns), MOST_ROWS - head.length);
  return [...head, ...shown].map(({ text }) => text);
}

function inRows(cells: readonly Cell[], columns: number): readonly Cell[] {
  const rows: Cell[] = [];
  for (const cell of cells) {
    const last = rows.at(-1);
    const width = (last?.columns ?? 0) + GAP.length + cell.columns;
    if (last === undefined || width >= columns) rows.push(cell);
    else
      rows[rows.length - 1] = {
        text: last.text + GAP + cell.text,
        columns: width,
        runs: last.runs || cell.runs,
      };
  }
  return rows;
}

/** Returns up to `most` consecutive rows that include the last active one. */
function around(rows: readonly Cell[], most: number): readonly Cell[] {
  const at = rows.findLastIndex(({ runs }) => runs);
  const first = Math.max(0, Math.min(at - 1, rows.length - most));
  return rows.slice(first, first + most);
}

function headCell(version: number, { dim }: Theme): Cell {
  const text = `version ${version}`;
  return { text: dim(text), columns: columnsOf(text), runs: false };
}

function nodeCell({ node, progress, visits, ...stops }: NodeProgress, theme: Theme, columns: number): Cell {
  const { pause } = signsOf(false);
  const [paint, style] = stylesOf(progress, theme);
  const mark = progress === undefined ? TO_COME : markOf(progress);
  const before = stops.before ? `${pause} ` : '';
  const behind = `${visits > 1 ? ` ×${visits}` : ''}${stops.after ? ` ${pause}` : ''}`;
  const room = columns - columnsOf(`${mark} ${before}${behind}`);
  const inside = operationsText(stops.operations, pause, Math.floor(room / 2));
  const name = plainLine(node, Math.min(NAME_COLUMNS, room - columnsOf(inside)));
  const label = `${before}${name}${behind}${inside}`;
  return {
    text: `${paint(mark)} ${style(label)}`,
    columns: columnsOf(`${mark} ${label}`),
    runs: progress === 'current' || progress === 'waiting',
  };
}

/** Formats the operations in a node's code before which the run stops: ` (⏸ pay ship)`. */
function operationsText(operations: readonly string[], pause: string, columns: number): string {
  if (operations.length === 0) return '';
  const room = Math.max(1, columns - columnsOf(` (${pause} )`));
  return ` (${pause} ${plainLine(operations.join(' '), room)})`;
}

/** Returns the styles of a node's mark and name. */
function stylesOf(progress: NodeProgress['progress'], theme: Theme): readonly [Theme['dim'], Theme['dim']] {
  const { dim, strong, success, failure, warning } = theme;
  switch (progress) {
    case undefined:
    case 'undone':
    case 'skipped':
      return [dim, dim];
    case 'current':
      return [strong, strong];
    case 'waiting':
      return [warning, strong];
    case 'done':
      return [success, dim];
    case 'failed':
      return [failure, dim];
    default:
      return assertNever(progress);
  }
}
