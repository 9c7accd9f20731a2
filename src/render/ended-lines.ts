import type { RunEnd } from '../core/index.js';
import { escapeText } from '../core/index.js';
import type { Theme } from './theme.js';

/**
 * Says how a run ended, where there is anything to say of it; a failure only where nobody else says it, and without its
 * cause where that was told of a node already.
 */
export function endedLines(
  reason: RunEnd,
  { theme, showsFailures }: { readonly theme: Theme; readonly showsFailures: boolean },
  told?: string,
): readonly string[] {
  switch (reason.type) {
    case 'done':
    case 'finished':
      return [];
    case 'aborted':
      return [theme.warning('[stopped]')];
    case 'limit':
      return [theme.warning(`stopped at the limit of ${escapeText(reason.limit)}`)];
    case 'failed': {
      if (!showsFailures) return [];
      const { message, hint } = reason.error;
      const cause = `: ${told ?? ''}`;
      const words = told !== undefined && message.endsWith(cause) ? message.slice(0, -cause.length) : message;
      const error = `${theme.failure('error:')} ${escapeText(words)}`;
      return hint === undefined ? [error] : [error, `hint: ${escapeText(hint)}`];
    }
  }
}
