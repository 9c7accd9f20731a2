import { escapeText, sourcesOf } from '../core/index.js';
import type { Message } from '../core/index.js';
import type { Theme } from './theme.js';

/** The sources that a reply cites, a line each below it: `source 1  Title  https://…`; safe for a terminal. */
export function sourceLines(message: Message, { dim }: Theme): readonly string[] {
  return sourcesOf(message).map(({ title, url }, index) =>
    dim(
      [`  source ${index + 1}`, ...[title, url].filter((word) => word !== undefined).map(escapeText)].join(
        '  ',
      ),
    ),
  );
}
