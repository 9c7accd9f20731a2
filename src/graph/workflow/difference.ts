import type { OperationRecord } from '../../core/index.js';
import { digestOf } from '../../core/index.js';
import type { OperationAbout } from '../operations.js';

/** An operation of the code that the journal has as another one. */
export interface Difference {
  readonly key: string;
  readonly recorded: OperationRecord;
  /** Absent: the code came to its end without it. */
  readonly now?: { readonly kind: string; readonly digest: string; readonly title?: string };
}

/** Both sides of a difference for a person. */
export interface Sides {
  readonly recorded: string;
  readonly now: string;
}

/** Fingerprint of what an operation is asked to do. */
export function operationDigest({ kind, of = null }: OperationAbout): string {
  return digestOf([kind, of]).slice(0, 16);
}

/** Says both sides of a difference in one line each. */
export function sidesOf({ recorded, now }: Difference): Sides {
  const was = operationWords(recorded);
  if (now === undefined) return { recorded: was, now: 'nothing: the code ends without it' };
  const is = operationWords(now);
  return { recorded: was, now: was === is ? `${is} (in the same words, and with other details)` : is };
}

/** Names an operation for a person: `ask: Keep it?`. */
export function operationWords({
  kind = 'step',
  title,
}: {
  readonly kind?: string;
  readonly title?: string;
}): string {
  return title === undefined ? kind : `${kind}: ${title}`;
}
