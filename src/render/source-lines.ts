import { escapeText, sourcesOf } from '../core/index.js';
import type { Message } from '../core/index.js';
import type { Theme } from './theme.js';

/**
 * Formats the sources cited in a reply, one per line, to show below the reply: `source 1 Title https://…`.
 * The lines are safe for a terminal.
 */
export function sourceLines(message: Message, { dim }: Theme): readonly string[] {
  return sourcesOf(message).map(({ title, url }, index) =>
    dim(
      [`  source ${index + 1}`, ...[title, url].filter((word) => word !== undefined).map(escapeText)].join(
        '  ',
      ),
    ),
  );
}
