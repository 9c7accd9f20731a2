import type { ErrorRecord } from '../error-record.js';
import type { Effect } from '../interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';

// Invariants:
// O1 A key names one operation of an activation: `deploy#2` is the second one of that name, `left/deploy#1` one in a
//    branch. What the journal has under a key is given again, and nothing else is.
// O2 What was started and may have an effect is done again only where a second run does no harm, or a person says so.

/** The kinds of things that the code of a workflow does. */
export const OPERATION_KINDS = [
  'step',
  'ask',
  'tool',
  'agent',
  'call',
  'value',
  'race',
  'timer',
  'event',
  'state',
  'checkpoint',
] as const;

/** One of the kinds of things that the code of a workflow does. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** The place from which the code of a workflow starts, in the place of its top: what came before is not replayed. */
export interface Checkpoint {
  readonly state: JsonValue;
  /** The state of the code for people, as it was. */
  readonly values: JsonObject;
  /** The operations of each name so far. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Begun {
  readonly effect: Effect;
  /** Absent for a step of a node's body (`ctx.step`), which is known by its key alone. */
  readonly kind?: OperationKind;
  /** Fingerprint of what it was asked to do, and that in one line. */
  readonly digest?: string;
  readonly title?: string;
  /** ISO 8601: when its last attempt began; absent in older sessions. */
  readonly startedAt?: string;
}

/** Something that the code of a node did under a key, once. */
export type OperationRecord = Begun &
  (
    | {
        readonly status: 'started';
        /** The attempts that failed. */
        readonly failures?: number;
        /** ISO 8601: it goes on then, and not before. */
        readonly at?: string;
      }
    | { readonly status: 'settled'; readonly output: JsonValue }
    | {
        readonly status: 'failed';
        readonly error: ErrorRecord;
        /** The operations that had begun by then: where there are no more, nothing came of the failure yet. */
        readonly begun: number;
      }
  );

/** True where a second run does no harm. An effect that this version does not know may do harm. */
export function mayRepeat(effect: Effect | undefined): boolean {
  return effect === 'none' || effect === 'idempotent';
}

/** True for an operation of which nobody knows whether it happened: it was started, and a second run may do harm (O2). */
export function isInDoubt(record: OperationRecord): boolean {
  return record.status === 'started' && !mayRepeat(record.effect) && record.at === undefined;
}

/** True for an operation that has come to its end. */
export function isOver({ status }: OperationRecord): boolean {
  return status !== 'started';
}
