import { appliedChange, changeRows } from '../core/index.js';
import type { ChangeSigns, Interrupt, Resolution } from '../core/index.js';
import type { Drawing } from './status-line.js';
import type { Theme } from './theme.js';

/** The signs of a change, in those that the terminal has. */
export function changeSigns({ symbols }: Theme, unfold?: string): ChangeSigns {
  const { wrapped, ellipsis } = symbols;
  const isAscii = symbols.done === 'ok';
  return { removed: isAscii ? '-' : '−', gap: isAscii ? ':' : '⋯', wrapped, ellipsis, unfold };
}

/** The change that a decision made, below its line; `unfold` is the key that shows it whole. */
export function appliedRows(
  { interrupt, resolution }: { readonly interrupt: Interrupt; readonly resolution: Resolution },
  { theme, columns }: Drawing,
  unfold?: string,
): readonly string[] {
  const rows = changeRows(appliedChange(interrupt, resolution), columns, changeSigns(theme, unfold));
  const paints = { own: (text: string) => text, removed: theme.failure, added: theme.success };
  return rows.map(({ tone, text }) => theme.dim(paints[tone](text)));
}
