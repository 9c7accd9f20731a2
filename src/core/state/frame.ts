import type { GraphOutline } from '../data/outline.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Effect, Interrupt, ApprovalPolicy } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Checkpoint, OperationRecord, OperationGates } from './operation.js';
import type { Terms } from '../question/terms.js';
import type { AppendList } from '../data/sequence.js';
import type { GraphState, BuiltinReducer, StateChanges } from './graph-state.js';
import type { PersistentMap } from './persistent-map.js';

/** The phase of a node's activation (C-11). */
export type Phase = 'before' | 'run' | 'after' | 'route';

/** The nodes at which a run stops: names, or all. */
export type GatePoints = '*' | readonly string[];

/** A question of a node's body (`ctx.ask`), in order. */
export interface AskRecord {
  readonly interrupt: Interrupt;
  /** Present when answered. */
  readonly answer?: {
    readonly value: JsonValue;
    /** JSON pointers of masked secrets in the value. */
    readonly secrets?: readonly string[];
    /** The asking code, and the answer's validity. */
    readonly terms?: Terms;
  };
  /** The body started a step with the answer; later failures do not concern the answer. */
  readonly used?: true;
  /** Operations of the code that had started when it was answered. */
  readonly begun?: number;
}

/** The states of one visit of a node. */
export type ActivationStatus =
  /** Not run yet. */
  | 'entered'
  /** Its body has started and not ended. */
  | 'started'
  /** Waits for answers that its body requested. */
  | 'waiting'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'rejected'
  /** A person gave its output; it is not yet in the state. */
  | 'answered'
  /** Undone by going back or rewinding. */
  | 'undone';

/** One entry of a node: `<node>@<visit>` (C-12). */
export interface ActivationOf<Inner> {
  readonly node: string;
  /** Counts from 1 for each node of a graph. */
  readonly visit: number;
  readonly phase: Phase;
  readonly status: ActivationStatus;
  /** Index of the edge by which it was reached, among the edges of the node before; absent for a jump. */
  readonly edge?: number;
  /** A person's replacement of its input. */
  readonly input?: { readonly value: JsonValue };
  readonly output?: { readonly value: JsonValue };
  readonly error?: ErrorRecord;
  /** How often its body was started. */
  readonly attempts: number;
  /** Failed attempts since a person last decided about it. */
  readonly failures: number;
  /** Set if a person marked it as failed: it is not tried again or asked about. */
  readonly failedBy?: 'person';
  readonly effect?: Effect;
  readonly startedAt?: string;
  /** The gates that were answered. */
  readonly passed: readonly ('before' | 'after')[];
  /** `stateDigest` when a gate was passed; passing it is valid for that state only. */
  readonly held?: { readonly before?: string; readonly after?: string };
  /** The limits of each gate's approval, and of an approval to run it again. */
  readonly agreed?: { readonly before?: Terms; readonly after?: Terms };
  /** Approvers of the run, if its gate required some. */
  readonly people?: ApprovalPolicy;
  /** The open interrupt of the node itself: a gate, a doubt or an error. */
  readonly open?: Interrupt;
  readonly asks: readonly AskRecord[];
  /** State before a later change that repeats its body's questions. */
  readonly since?: StateChanges;
  /** The operations of its code by key, in the order in which they started. */
  readonly operations: PersistentMap<OperationRecord>;
  /** Keys of operations that the code may omit: a person saw this and agreed. */
  readonly passedOver?: readonly string[];
  /** Where its code starts. */
  readonly checkpoint?: Checkpoint;
  /** Guidance by people for this activation only. */
  readonly guidance: readonly string[];
  /** The runs inside it: `''` is the node's own agent, tool or graph; any other key is a branch. */
  readonly frames: PersistentMap<Inner>;
  /** Inner runs no longer needed: their questions are withdrawn. */
  readonly withdrawn?: readonly string[];
  /** The node's patches before any reducer, for merging branches. */
  readonly patch?: StateChanges;
  /** Undoes its own changes. */
  readonly undo?: StateChanges;
  /** Undoes people's changes before it ran; newest last. */
  readonly edits: readonly StateChanges[];
  /** The reason that a person gave for rejecting its result. */
  readonly rejection?: string;
}

/** A deferred note. */
export interface Todo {
  readonly note: string;
  readonly node: string;
  readonly visit: number;
  readonly at: string;
}

/** The node that a person chose, with its parameters. */
export interface NextNode {
  readonly node: string;
  readonly guidance: readonly string[];
  readonly edits: readonly StateChanges[];
}

/** A graph run at one scope: a fold over the events of that scope. */
export class GraphFrameOf<Inner> {
  declare readonly name: string;
  /** Fingerprint of names, kinds, edges and conditions (C-53). */
  declare readonly hash: string;
  /** The definition that it runs, as of its start or migration; absent in older sessions. */
  declare readonly outline?: GraphOutline;
  declare readonly start: string;
  declare readonly seed: number;
  declare readonly maxIterations: number;
  declare readonly before: GatePoints;
  declare readonly after: GatePoints;
  /** The operations of its code before which it stops. */
  declare readonly gates?: OperationGates;
  /** Names of all nodes, including nested ones. */
  declare readonly nodes?: readonly string[];
  declare readonly reducers: Readonly<Record<string, BuiltinReducer>>;
  /** The state by key. */
  declare readonly values: GraphState;
  declare readonly conditions: JsonObject;
  /** Finished activations, in the order of their entry. */
  declare readonly history: AppendList<ActivationOf<Inner>>;
  declare readonly current?: ActivationOf<Inner>;
  declare readonly visits: PersistentMap<number>;
  /** Activations so far (C-13). */
  declare readonly iterations: number;
  /** Weighted draws so far (C-16). */
  declare readonly draws: number;
  declare readonly todos: readonly Todo[];
  /** Open interrupt of the run itself: the iteration limit, or a requested pause. */
  declare readonly open?: Interrupt;
  /** The history is foreign or incomplete: nothing starts before someone continues from it. */
  declare readonly unconfirmed?: 'elsewhere' | 'lost';
  /** A person cancelled; the run ends at the next step. */
  declare readonly cancelled?: { readonly reason?: string };
  /** A person's jump: enter this node next. */
  declare readonly next?: NextNode;
  #waiting: readonly Interrupt[] | undefined;

  /** @param changes replace the properties they name. */
  constructor(members: FrameMembers<Inner>, changes: Partial<FrameMembers<Inner>> = {}) {
    Object.assign(this, members, changes);
  }

  /**
   * The state as one plain, frozen object. Made on first use, because its cost grows with the number of keys.
   */
  get state(): JsonObject {
    return this.values.plain;
  }

  /**
   * Returns every open interrupt in source order. Cached, because usually one of many branches changes at a time.
   * @param inside must always return the same frames for an inner run
   */
  waiting(inside: (inner: Inner) => readonly Interrupt[]): readonly Interrupt[] {
    this.#waiting ??= this.#findWaiting(inside);
    return this.#waiting;
  }

  #findWaiting(inside: (inner: Inner) => readonly Interrupt[]): readonly Interrupt[] {
    const { current } = this;
    const found: Interrupt[] = [];
    if (this.open !== undefined) found.push(this.open);
    if (current === undefined) return found;
    if (current.open !== undefined) found.push(current.open);
    for (const { interrupt, answer } of current.asks) if (answer === undefined) found.push(interrupt);
    if (current.phase !== 'run') return found;
    for (const [name, frame] of current.frames.entries()) {
      const open = inside(frame);
      if (open.length > 0 && current.withdrawn?.includes(name) !== true) found.push(...open);
    }
    return found;
  }

  /** Returns the frame with changed properties. */
  with(changes: Partial<FrameMembers<Inner>>): GraphFrameOf<Inner> {
    return new GraphFrameOf<Inner>(this, changes);
  }
}

type FrameMembers<Inner> = Omit<GraphFrameOf<Inner>, 'state' | 'waiting' | 'with'>;

/** `review@2`. */
export function activationId({ node, visit }: { readonly node: string; readonly visit: number }): string {
  return `${node}@${visit}`;
}

/** Names with a special meaning for JavaScript objects. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name is forbidden for state keys, nodes and steps. */
export function isUnsafeName(name: string): boolean {
  return UNSAFE.has(name);
}

/** Whether a state key is read-only (C-24). */
export function isReservedKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('graph_') || isUnsafeName(key);
}

/** Whether a name is valid for an operation or event; it appears unescaped in keys and paths. */
export function isOperationName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name) && !isUnsafeName(name);
}

/** Formats a path inside a graph: `outer › left`, with the visit from the second on. Not escaped. */
export function pathText(path: string): string {
  const parts = path.split('/').map((part) => part.replace(/@1$/, ''));
  // A branch is named as the node that runs in it.
  return parts.filter((part, index) => part !== '' && part !== parts[index - 1]).join(' › ');
}
