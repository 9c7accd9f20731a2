import type { GraphEvent, OperationKind, RunState, SessionEvent } from '../core/index.js';
import {
  columnsOf,
  escapeText,
  FIRST_VERSION,
  parseStrictJson,
  pathText,
  plainLine,
  ROOT_PATH,
  stateAt,
  unescapeText,
} from '../core/index.js';
import { backWords, place } from './node-place.js';
import type { Drawing } from './status-line.js';
import type { Theme } from './theme.js';
import { valueLine } from './value-line.js';

/**
 * A graph event other than those for running a node: a failed edge condition, a conflict, a rewind or a
 * migration.
 */
type WayEvent = Extract<
  SessionEvent,
  GraphEvent & { readonly type: 'edge-failed' | 'conflict-found' | 'rewound' | 'graph-migrated' }
>;

/** Formats a failed edge condition, a conflict, a rewind or a migration in a graph, as lines for the user. */
export function graphLines(event: WayEvent, theme: Theme): readonly string[] {
  switch (event.type) {
    case 'edge-failed':
      return [
        theme.warning(`condition of ${place(event)} → ${escapeText(event.to)}: ${escapeText(event.message)}`),
      ];
    case 'conflict-found':
      return [
        theme.warning(
          `${place(event)}: branches ${escapeText(event.branches.join(', '))} both wrote ${escapeText(event.key)}`,
        ),
      ];
    case 'rewound':
      return [theme.warning(backWords(event))];
    case 'graph-migrated': {
      const { outline, scope = '' } = event;
      const where = scope === '' ? '' : ` at ${escapeText(pathText(scope))}`;
      return [theme.dim(`continuing with workflow version ${outline.version ?? FIRST_VERSION}${where}`)];
    }
  }
}

/**
 * Operations for which a line is shown when they end. Tools are covered by the line for their call, and
 * answers by the line for their decision. Other operations have no visible effect.
 */
const TOLD: ReadonlySet<OperationKind | undefined> = new Set<OperationKind>(['step', 'agent', 'call']);

/**
 * Formats the end of a code operation: `✓ deploy › hosts/a/install a 7`. The name is the same as in the run
 * tree.
 */
export function operationLines(
  event: SessionEvent & { readonly type: 'op-settled' },
  state: RunState,
  { theme, columns }: Drawing,
): readonly string[] {
  const { key, scope = ROOT_PATH } = event;
  const record = stateAt(state, scope)?.graph?.current?.operations.get(key);
  if (!TOLD.has(record?.kind)) return [];
  const head = `${theme.symbols.done} ${place(event)} › ${escapeText(key.replace(/#1$/u, ''))}`;
  const room = columns - columnsOf(head) - 3;
  const about = record?.title === undefined || room < 2 ? '' : titleWords(unescapeText(record.title), room);
  return [theme.dim(about === '' ? head : `${head}  ${about}`)];
}

/** Describes an operation's input in words instead of JSON. */
function titleWords(title: string, columns: number): string {
  const read = title.startsWith('{') ? parseStrictJson(title) : undefined;
  return read?.ok === true ? valueLine(read.value, columns) : plainLine(title, columns);
}
