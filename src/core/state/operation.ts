import type { ErrorRecord } from '../data/error-record.js';
import type { Effect, Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { membersOf } from '../data/json.js';
import { unescapeText } from '../data/escape.js';

// Invariants:
// O1 A key names one operation of an activation: `deploy#2` is the second one of that name, `left/deploy#1` one in a
//    branch. What the journal has under a key is given again, and nothing else is.
// O2 What was started and may have an effect is done again only where a second run does no harm, or a person says so.

/** The kinds of operations in workflow code. */
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

/** A kind of operation in workflow code. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** A point at which workflow code starts, instead of at its beginning. Nothing before it is replayed. */
export interface Checkpoint {
  readonly state: JsonValue;
  /** State of the code at the checkpoint, for display. */
  readonly values: JsonObject;
  /** Number of operations before the checkpoint, by name. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Begun {
  readonly effect: Effect;
  /**
   * Kind of the operation. Absent for a step in a node's body (`ctx.step`), which is identified by its key
   * alone.
   */
  readonly kind?: OperationKind;
  /** Digest of the operation's task. `title` describes the task in one line. */
  readonly digest?: string;
  readonly title?: string;
  /** Start time of the latest attempt (ISO 8601); absent in older sessions. */
  readonly startedAt?: string;
}

/** The journal's record of an operation in a node's code. */
export type OperationRecord = Begun &
  (
    | {
        readonly status: 'started';
        /** The failed attempts. */
        readonly failures?: number;
        /** Earliest time to continue (ISO 8601). */
        readonly at?: string;
      }
    | { readonly status: 'settled'; readonly output: JsonValue }
    | {
        readonly status: 'failed';
        readonly error: ErrorRecord;
        /**
         * Number of operations started up to the failure. If no others have started since then, the failure
         * has not had any consequences yet.
         */
        readonly begun: number;
      }
  );

/** Whether an operation with this effect is safe to run again; false if the effect is unknown. */
export function mayRepeat(effect: Effect | undefined): boolean {
  return effect === 'none' || effect === 'idempotent';
}

/** Whether an operation's outcome is unknown: it was started, and a repetition may do harm (O2). */
export function isInDoubt(record: OperationRecord): boolean {
  return record.status === 'started' && !mayRepeat(record.effect) && record.at === undefined;
}

/** Whether an operation has ended. */
export function isOver({ status }: OperationRecord): boolean {
  return status !== 'started';
}

/**
 * An operation in workflow code that needs a decision from a person. Its text is untrusted and not escaped.
 */
export interface AskedOperation {
  /** `hosts/a/install#1` */
  readonly key: string;
  /** The operation's name and subject: `install a 7`, `install#2`. */
  readonly name: string;
  /** Path of the workflow and its branch: `deploy@1/hosts/a`. */
  readonly path: string;
}

/**
 * Returns the operation that an in-doubt question, a gate or an error is about; `undefined` for any other
 * interrupt.
 */
export function operationAsked({ kind, source, payload, path }: Asking): AskedOperation | undefined {
  if (source.type !== 'node' || !(kind === 'in-doubt' || kind === 'gate' || kind === 'error'))
    return undefined;
  const members = membersOf(payload);
  const key = source.operation ?? textIn(members, kind === 'error' ? 'operation' : 'step');
  if (key === undefined) return undefined;
  const level = key.lastIndexOf('/');
  const about = textIn(members, 'of') ?? textIn(members, 'input');
  const own = key.slice(level + 1).replace(/#1$/u, '');
  const branch = level === -1 ? [] : [key.slice(0, level)];
  return {
    key,
    name: about === undefined ? own : `${own} ${unescapeText(about)}`,
    path: [...(path === '' ? [] : [path]), `${source.nodeId}@${source.visit}`, ...branch].join('/'),
  };
}

type Asking = Pick<Interrupt, 'kind' | 'source' | 'payload' | 'path'>;

function textIn(members: JsonObject, key: string): string | undefined {
  const value = members[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Operations before which the run stops at a gate. `deploy` means every operation with that name, `deploy#2`
 * a specific one, and `'*'` every operation that has effects.
 */
export type OperationGates = '*' | readonly string[];

/** Kinds of operations that have effects. The others only wait, choose or store values. */
const DOING: ReadonlySet<OperationKind> = new Set<OperationKind>(['step', 'tool', 'agent', 'call']);

/** An operation that the code is about to run. */
export interface OperationPlan {
  readonly key: string;
  readonly kind: OperationKind;
  /** Digest of the operation's task. */
  readonly digest: string;
}

/** Whether an operation has effects, as opposed to only waiting, choosing or storing values. */
export function isDoing(kind: OperationKind | undefined): boolean {
  return kind !== undefined && DOING.has(kind);
}

/** Whether an operation has a gate before it. */
export function isGated(
  gates: OperationGates | undefined,
  { key, kind }: Pick<OperationPlan, 'key' | 'kind'>,
): boolean {
  if (gates === undefined || !isDoing(kind)) return false;
  if (gates === '*') return true;
  const own = key.slice(key.lastIndexOf('/') + 1);
  return gates.some((one) => one === own || one === nameOfKey(own) || one === key);
}

/** Returns the name part of a key: `deploy` for `left/deploy#2`. */
export function nameOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/u, '');
}

/** Returns the key of the operation that raised an interrupt; `undefined` if something else raised it. */
export function operationOf({ source }: Pick<Interrupt, 'source'>): string | undefined {
  return source.type === 'node' ? source.operation : undefined;
}

/** Whether an interrupt is the gate before an operation rather than the operation's own question. */
export function isOperationGate(interrupt: Pick<Interrupt, 'kind' | 'source'>): boolean {
  return interrupt.kind === 'gate' && operationOf(interrupt) !== undefined;
}

interface AtOperation {
  readonly node: string;
  readonly visit: number;
  /** `deploy#2`, `left/deploy#1`. */
  readonly key: string;
}

/** An event about an operation in workflow code. */
export type OperationEvent =
  /** Recorded before the operation has any effect. A second event marks another attempt. */
  | (AtOperation & {
      readonly type: 'op-started';
      readonly kind: OperationKind;
      /** Digest of the operation's task. The same key with a different task is a different operation. */
      readonly digest: string;
      /** One-line description of the task. The text is untrusted. */
      readonly title?: string;
      readonly effect: Effect;
      /** Start time (ISO 8601); absent in older sessions. */
      readonly startedAt?: string;
      /** Identifier of the running code, if known. */
      readonly code?: string;
    })
  | (AtOperation & { readonly type: 'op-settled'; readonly output: JsonValue })
  | (AtOperation & {
      readonly type: 'op-failed';
      readonly error: ErrorRecord;
      /** Time of the next attempt (ISO 8601). If absent, the failure is final. */
      readonly again?: string;
    });

/** An event about a step in a node's body. The step is identified by its key alone. */
export type StepEvent =
  | (AtOperation & { readonly type: 'step-started'; readonly effect: Effect })
  | (AtOperation & { readonly type: 'step-settled'; readonly output: JsonValue });
