import type { Interrupt } from '../data/interrupt.js';
import { isJsonObject } from '../data/json.js';
import type { Actor, Resolution, Unread } from '../data/resolution.js';
import { readDiff } from '../data/diff.js';

// Invariants:
// U1 A question is approved unread only by the person at its terminal, only where nobody else has to agree, and only for
//    a change of a file that a diff shows and of which nothing warns. Everything else has to be shown whole.

/** Whether a question may be approved before all of it has been shown (U1). */
export function mayBeUnread(interrupt: Interrupt): boolean {
  const { kind, source, payload, allowed, edit, approvers, proposed, escalated } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || source.raisedBy !== 'approval') return false;
  if (approvers !== undefined || proposed !== undefined || escalated !== undefined) return false;
  if (!allowed.includes('restart') || edit === 'required') return false;
  if (!isJsonObject(payload) || payload['warnings'] !== undefined) return false;
  return typeof payload['diff'] === 'string' && readDiff(payload['diff']) !== undefined;
}

/** A decision, with the part of the question that was not shown. */
interface UnreadDecision {
  readonly resolution: Resolution;
  readonly unread?: Unread;
  readonly by?: Actor;
}

/** Returns the reason that a decision on a partly shown question is invalid; `undefined` if it is valid. */
export function unreadProblem(
  interrupt: Interrupt,
  { resolution, unread, by }: UnreadDecision,
): string | undefined {
  if (unread === undefined) return undefined;
  const isPlainYes = resolution.action === 'restart' && resolution.input === undefined;
  const isHere = by === undefined || (by.type === 'person' && by.via === 'terminal');
  if (!isPlainYes || !isHere || !mayBeUnread(interrupt)) return 'the whole request must be shown first';
  const isCount = Number.isInteger(unread.rows) && unread.rows > 0 && unread.rows <= unread.of;
  return isCount && Number.isInteger(unread.of) ? undefined : 'its number of unread rows is invalid';
}

/** Formats the number of rows that were not shown: `521 of 600 rows not shown`. */
export function unreadWords({ rows, of }: Unread): string {
  return `${rows} of ${of} rows not shown`;
}
