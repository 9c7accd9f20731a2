import type { ErrorRecord } from '../data/error-record.js';
import type { Effect, Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { membersOf } from '../data/json.js';
import { unescapeText } from '../data/escape.js';

// Invariants:
// O1 A key names one operation of an activation: `deploy#2` is the second one of that name, `left/deploy#1` one in a
//    branch. What the journal has under a key is given again, and nothing else is.
// O2 What was started and may have an effect is done again only where a second run does no harm, or a person says so.

/** The kinds of operations in a workflow's code. */
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

/** A kind of operation in a workflow's code. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** The point at which workflow code starts, instead of at its top: nothing earlier is replayed. */
export interface Checkpoint {
  readonly state: JsonValue;
  /** The code's state at that time, for display. */
  readonly values: JsonObject;
  /** The operations of each name so far. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Begun {
  readonly effect: Effect;
  /** Absent for a step of a node's body (`ctx.step`), which is identified by its key alone. */
  readonly kind?: OperationKind;
  /** Fingerprint of its task, and a one-line description. */
  readonly digest?: string;
  readonly title?: string;
  /** ISO 8601: start of its last attempt; absent in older sessions. */
  readonly startedAt?: string;
}

/** An operation of a node's code, with its key. */
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
        /**
         * Number of operations started before; if no more followed, the failure has had no consequence yet.
         */
        readonly begun: number;
      }
  );

/** Whether running again is harmless. An unknown effect is not. */
export function mayRepeat(effect: Effect | undefined): boolean {
  return effect === 'none' || effect === 'idempotent';
}

/** Whether an operation's outcome is unknown: it was started, and a second run may do harm (O2). */
export function isInDoubt(record: OperationRecord): boolean {
  return record.status === 'started' && !mayRepeat(record.effect) && record.at === undefined;
}

/** Whether an operation has ended. */
export function isOver({ status }: OperationRecord): boolean {
  return status !== 'started';
}

/** An operation of workflow code for a person's decision. Foreign text, not escaped. */
export interface AskedOperation {
  /** `hosts/a/install#1` */
  readonly key: string;
  /** `install a 7`, `install#2`: its name and subject. */
  readonly name: string;
  /** `deploy@1/hosts/a`: the workflow and its branch. */
  readonly path: string;
}

/**
 * Returns the operation of a doubt, gate or failure; `undefined` for other interrupts: a question has its own
 * words.
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
 * Operations with a gate before them: `deploy` means all of that name, `deploy#2` one, `'*'` all with an
 * effect.
 */
export type OperationGates = '*' | readonly string[];

/** The kinds with effects: the others only wait, choose or keep. */
const DOING: ReadonlySet<OperationKind> = new Set<OperationKind>(['step', 'tool', 'agent', 'call']);

/** An operation that the code is about to start. */
export interface OperationPlan {
  readonly key: string;
  readonly kind: OperationKind;
  /** Fingerprint of its task. */
  readonly digest: string;
}

/** Whether an operation has an effect, not only waits, chooses or stores. */
export function isDoing(kind: OperationKind | undefined): boolean {
  return kind !== undefined && DOING.has(kind);
}

/** Whether an operation has a gate. */
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

/** The key of the asking operation; `undefined` if something else asks. */
export function operationOf({ source }: Pick<Interrupt, 'source'>): string | undefined {
  return source.type === 'node' ? source.operation : undefined;
}

/** Whether an interrupt is the gate before an operation, not the operation's own question. */
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
      /** Fingerprint of its task: the same key with another task is another operation. */
      readonly digest: string;
      /** The task in one line; foreign text. */
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
      /** ISO 8601: next attempt. Absent: the failure is final. */
      readonly again?: string;
    });

/** An event of a step of a node's body, identified by its key alone. */
export type StepEvent =
  | (AtOperation & { readonly type: 'step-started'; readonly effect: Effect })
  | (AtOperation & { readonly type: 'step-settled'; readonly output: JsonValue });
