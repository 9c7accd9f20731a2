import type { ErrorRecord } from '../data/error-record.js';
import type { Effect, Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { membersOf } from '../data/json.js';
import { unescapeText } from '../data/escape.js';

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

/** The kinds of operations of a workflow's code. */
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

/** One operation of a node's code under its key. */
export type OperationRecord = Begun &
  (
    | {
        readonly status: 'started';
        /** The failed attempts. */
        readonly failures?: number;
        /** ISO 8601: earliest continuation. */
        readonly at?: string;
      }
    | { readonly status: 'settled'; readonly output: JsonValue }
    | {
        readonly status: 'failed';
        readonly error: ErrorRecord;
        /** Operations started by then; if there are no more, the failure had no consequence yet. */
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

/** An operation of a workflow's code that a person decides about. Its texts are from outside, and not escaped. */
export interface AskedOperation {
  /** `hosts/a/install#1` */
  readonly key: string;
  /** `install a 7`, `install#2`: the name, and what it is about. */
  readonly name: string;
  /** `deploy@1/hosts/a`: the workflow and the branch in which it is. */
  readonly path: string;
}

/**
 * Finds the operation that a doubt, a gate or a failure is about; `undefined` for everything else: a question has words
 * of its own.
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

/** The operations before which a person is asked: `deploy` is all of that name, `deploy#2` one, `'*'` all that do something. */
export type OperationGates = '*' | readonly string[];

/** The kinds that do something: the others only wait, choose or keep. */
const DOING: ReadonlySet<OperationKind> = new Set<OperationKind>(['step', 'tool', 'agent', 'call']);

/** An operation as the code comes to it. */
export interface OperationPlan {
  readonly key: string;
  readonly kind: OperationKind;
  /** Fingerprint of what it is asked to do. */
  readonly digest: string;
}

/** True for what does something, and not only waits, chooses or keeps. */
export function isDoing(kind: OperationKind | undefined): boolean {
  return kind !== undefined && DOING.has(kind);
}

/** True where a person is to be asked before an operation. */
export function isGated(
  gates: OperationGates | undefined,
  { key, kind }: Pick<OperationPlan, 'key' | 'kind'>,
): boolean {
  if (gates === undefined || !isDoing(kind)) return false;
  if (gates === '*') return true;
  const own = key.slice(key.lastIndexOf('/') + 1);
  return gates.some((one) => one === own || one === nameOfKey(own) || one === key);
}

/** The name in a key: `deploy` of `left/deploy#2`. */
export function nameOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/u, '');
}

/** The key of the operation that asks; `undefined` where something else does. */
export function operationOf({ source }: Pick<Interrupt, 'source'>): string | undefined {
  return source.type === 'node' ? source.operation : undefined;
}

/** True for the gate before an operation, which is no question of the operation itself. */
export function isOperationGate(interrupt: Pick<Interrupt, 'kind' | 'source'>): boolean {
  return interrupt.kind === 'gate' && operationOf(interrupt) !== undefined;
}

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
      /** Identifies the running code, if known. */
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
