import type { ErrorRecord } from '../error-record.js';
import type { Effect } from '../interrupt.js';
import type { JsonValue } from '../json/index.js';
import type { OperationKind } from './operation.js';

interface AtOperation {
  readonly node: string;
  readonly visit: number;
  /** `deploy#2`, `left/deploy#1`. */
  readonly key: string;
}

/** An event of an operation of a workflow's code. */
export type OperationEvent =
  /** Intent before effect; a second one is another attempt. */
  | (AtOperation & {
      readonly type: 'op-started';
      readonly kind: OperationKind;
      /** Fingerprint of what it was asked to do: another one under the same key is another operation. */
      readonly digest: string;
      /** The same in one line; text from outside. */
      readonly title?: string;
      readonly effect: Effect;
      /** ISO 8601; absent in older sessions. */
      readonly startedAt?: string;
      /** Names the code that runs, where it is known. */
      readonly code?: string;
    })
  | (AtOperation & { readonly type: 'op-settled'; readonly output: JsonValue })
  | (AtOperation & {
      readonly type: 'op-failed';
      readonly error: ErrorRecord;
      /** ISO 8601: it is tried again then. Absent: the failure is what came of it. */
      readonly again?: string;
    });

/** An event of a step of a node's body, which is known by its key alone. */
export type StepEvent =
  | (AtOperation & { readonly type: 'step-started'; readonly effect: Effect })
  | (AtOperation & { readonly type: 'step-settled'; readonly output: JsonValue });
