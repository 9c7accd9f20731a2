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

/** An event of a graph as a whole, or between its nodes. */
type WayEvent = Extract<
  SessionEvent,
  GraphEvent & { readonly type: 'edge-failed' | 'conflict-found' | 'rewound' | 'graph-migrated' }
>;

/** Formats events of a graph outside its nodes, as lines for a person. */
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
 * Operations whose end gets a line. A tool has its call's line and an answer its decision's; the rest does
 * nothing visible.
 */
const TOLD: ReadonlySet<OperationKind | undefined> = new Set<OperationKind>(['step', 'agent', 'call']);

/** `✓ deploy › hosts/a/install  a 7`: an operation of code that ended, as the tree of the run names it. */
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

/** What an operation was about: an input in words, and not as JSON. */
function titleWords(title: string, columns: number): string {
  const read = title.startsWith('{') ? parseStrictJson(title) : undefined;
  return read?.ok === true ? valueLine(read.value, columns) : plainLine(title, columns);
}
