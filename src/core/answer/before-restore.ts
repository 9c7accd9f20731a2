import type { Interrupt } from '../data/interrupt.js';
import type { Shown } from '../data/escape.js';
import { escapeText, shown } from '../data/escape.js';
import { timeOf } from '../data/duration.js';

/**
 * Describes a question that was open in a backup: its later outcome is unknown. @param restoredAt ISO 8601
 */
export function beforeRestoreWords(
  { raisedAt }: Pick<Interrupt, 'raisedAt'>,
  restoredAt: string | undefined,
): Shown | undefined {
  if (restoredAt === undefined || !(timeOf(raisedAt) < timeOf(restoredAt))) return undefined;
  return shown`from before the restore of ${escapeText(restoredAt.slice(0, 10))}: it may have been answered and run already`;
}
