import type { OperationRecord } from '../../core/index.js';
import { digestOf } from '../../core/index.js';
import type { OperationAbout } from '../definition/code-operations.js';

/** An operation that differs from the journaled one, or that the code does not reach. */
export type Difference = Otherwise | LeftOut;

interface Otherwise {
  readonly key: string;
  readonly recorded: OperationRecord;
  readonly now: { readonly kind: string; readonly digest: string; readonly title?: string };
}

/** Journaled operations that the code does not reach. */
export interface LeftOut {
  /** One of them. */
  readonly key: string;
  readonly recorded: Partial<OperationRecord>;
  /** The keys of all these operations. */
  readonly left: readonly string[];
  /** The operation that the code would start instead; absent if the code has ended. */
  readonly instead?: { readonly key: string; readonly about: Pick<OperationAbout, 'kind' | 'title'> };
}

/** Both sides of a difference, as shown to a person. */
export interface Sides {
  readonly recorded: string;
  readonly now: string;
}

/** Returns the fingerprint of an operation's task. */
export function operationDigest({ kind, of = null }: OperationAbout): string {
  return digestOf([kind, of]).slice(0, 16);
}

/** Describes each side of a difference, in one line each. */
export function sidesOf(difference: Difference): Sides {
  const was = operationWords(difference.recorded);
  if ('left' in difference) {
    const { instead } = difference;
    return {
      recorded: was,
      now: instead === undefined ? ENDS : `${operationWords(instead.about)}, as \`${instead.key}\``,
    };
  }
  const is = operationWords(difference.now);
  return { recorded: was, now: was === is ? `${is} (same text, different details)` : is };
}

const ENDS = 'nothing: the code ends without reaching it';

/** Describes an operation, for example `ask: Keep it?`. */
export function operationWords({
  kind = 'step',
  title,
}: {
  readonly kind?: string;
  readonly title?: string;
}): string {
  return title === undefined ? kind : `${kind}: ${title}`;
}
