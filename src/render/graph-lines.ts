import type { GraphEvent, SessionEvent } from '../core/index.js';
import { escapeText, FIRST_VERSION, pathText } from '../core/index.js';
import { backWords, place } from './node-place.js';
import type { Theme } from './theme.js';

/** Something that happened to a graph as a whole, or on the way between its nodes. */
type WayEvent = Extract<
  SessionEvent,
  GraphEvent & { readonly type: 'edge-failed' | 'conflict-found' | 'rewound' | 'graph-migrated' }
>;

/** Tells what happened to a graph beside what its nodes do, as lines for a person. */
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
      return [theme.dim(`goes on with version ${outline.version ?? FIRST_VERSION} of the workflow${where}`)];
    }
  }
}
