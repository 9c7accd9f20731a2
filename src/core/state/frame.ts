import type { GraphOutline } from '../data/outline.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Effect, Interrupt, ApprovalPolicy } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Checkpoint, OperationRecord, OperationGates } from './operation.js';
import type { Terms } from '../question/terms.js';
import type { AppendList } from '../data/sequence.js';
import type { GraphState, BuiltinReducer, StateChanges } from './graph-state.js';
import type { PersistentMap } from './persistent-map.js';

/** A phase of a node's activation (C-11). */
export type Phase = 'before' | 'run' | 'after' | 'route';

/** The nodes at which a run stops: a list of names, or `*` for all nodes. */
export type GatePoints = '*' | readonly string[];

/** A question from a node's body (`ctx.ask`), and its answer. */
export interface AskRecord {
  readonly interrupt: Interrupt;
  /** Present when answered. */
  readonly answer?: {
    readonly value: JsonValue;
    /** JSON pointers to the masked secrets in the value. */
    readonly secrets?: readonly string[];
    /** The limits on the answer: the code that asked, and how long the answer is valid. */
    readonly terms?: Terms;
  };
  /** Set once the body has started a step with the answer. Later failures no longer remove the answer. */
  readonly used?: true;
  /** Number of operations that the code had started when the question was answered. */
  readonly begun?: number;
}

/** Status of a visit to a node. */
export type ActivationStatus =
  /** Not run yet. */
  | 'entered'
  /** The node's body has started but not ended. */
  | 'started'
  /** Waiting for answers to the questions of its body. */
  | 'waiting'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'rejected'
  /** A person provided the node's output, which is not part of the state yet. */
  | 'answered'
  /** Undone by going back or rewinding. */
  | 'undone';

/** One visit to a node: `<node>@<visit>` (C-12). */
export interface ActivationOf<Inner> {
  readonly node: string;
  /** Visit number, counted from 1 for each node of a graph. */
  readonly visit: number;
  readonly phase: Phase;
  readonly status: ActivationStatus;
  /** Index of the edge that led to the node, among the edges of the previous node; absent after a jump. */
  readonly edge?: number;
  /** A person's replacement for the node's input. */
  readonly input?: { readonly value: JsonValue };
  readonly output?: { readonly value: JsonValue };
  readonly error?: ErrorRecord;
  /** Number of times the node's body was started. */
  readonly attempts: number;
  /** Number of failed attempts since a person last decided about the node. */
  readonly failures: number;
  /** Set if a person marked the node as failed. It is not retried, and no question is asked about it. */
  readonly failedBy?: 'person';
  readonly effect?: Effect;
  readonly startedAt?: string;
  /** The gates that have been passed. */
  readonly passed: readonly ('before' | 'after')[];
  /** `stateDigest` at the time that each gate was passed. A passed gate is valid only for that state. */
  readonly held?: { readonly before?: string; readonly after?: string };
  /** Limits on the approval from each gate. `before` also applies to an approval to run the node again. */
  readonly agreed?: { readonly before?: Terms; readonly after?: Terms };
  /** Approvers required for running the node, if its gate required any. */
  readonly people?: ApprovalPolicy;
  /** Open interrupt of the node itself: a gate, an error, or a question about a node in doubt. */
  readonly open?: Interrupt;
  readonly asks: readonly AskRecord[];
  /** Undoes the state changes that made the body ask its questions again. */
  readonly since?: StateChanges;
  /** Operations in the node's code, by key, in the order in which they started. */
  readonly operations: PersistentMap<OperationRecord>;
  /** Keys of operations that the code may omit, as a person agreed. */
  readonly passedOver?: readonly string[];
  /** The checkpoint from which the node's code starts. */
  readonly checkpoint?: Checkpoint;
  /** People's guidance for this activation only. */
  readonly guidance: readonly string[];
  /**
   * Runs inside the activation. The key `''` is the node's own agent, tool or graph; any other key is a
   * branch.
   */
  readonly frames: PersistentMap<Inner>;
  /** Names of inner runs that are no longer needed. Their questions are withdrawn. */
  readonly withdrawn?: readonly string[];
  /** The node's patch before reducers were applied. It is used to merge branches. */
  readonly patch?: StateChanges;
  /** Undoes the changes made by the node. */
  readonly undo?: StateChanges;
  /** Undoes the changes that people made before the node ran, newest last. */
  readonly edits: readonly StateChanges[];
  /** The reason that a person gave for rejecting the result. */
  readonly rejection?: string;
}

/** A deferred note. */
export interface Todo {
  readonly note: string;
  readonly node: string;
  readonly visit: number;
  readonly at: string;
}

/** The node that a person chose to run next, with the guidance and edits for it. */
export interface NextNode {
  readonly node: string;
  readonly guidance: readonly string[];
  readonly edits: readonly StateChanges[];
}

/** A graph run at one scope, computed from the events of that scope. */
export class GraphFrameOf<Inner> {
  declare readonly name: string;
  /** Fingerprint of names, kinds, edges and conditions (C-53). */
  declare readonly hash: string;
  /** The definition in use since the start or the last migration; absent in older sessions. */
  declare readonly outline?: GraphOutline;
  declare readonly start: string;
  declare readonly seed: number;
  declare readonly maxIterations: number;
  declare readonly before: GatePoints;
  declare readonly after: GatePoints;
  /** Operations in the graph's code before which the run stops. */
  declare readonly gates?: OperationGates;
  /** Names of all nodes, including nested ones. */
  declare readonly nodes?: readonly string[];
  declare readonly reducers: Readonly<Record<string, BuiltinReducer>>;
  /** State values by key. */
  declare readonly values: GraphState;
  declare readonly conditions: JsonObject;
  /** Finished activations, in the order they were entered. */
  declare readonly history: AppendList<ActivationOf<Inner>>;
  declare readonly current?: ActivationOf<Inner>;
  declare readonly visits: PersistentMap<number>;
  /** Number of activations so far (C-13). */
  declare readonly iterations: number;
  /** Number of weighted random choices so far (C-16). */
  declare readonly draws: number;
  declare readonly todos: readonly Todo[];
  /** Open interrupt of the run itself: its iteration limit or a requested pause. */
  declare readonly open?: Interrupt;
  /**
   * Set if the history was written elsewhere or is incomplete. Nothing starts until a person confirms that
   * the run may continue from it.
   */
  declare readonly unconfirmed?: 'elsewhere' | 'lost';
  /** Set if a person cancelled the run, which then ends at the next step. */
  declare readonly cancelled?: { readonly reason?: string };
  /** The node to enter next, if a person jumped to it. */
  declare readonly next?: NextNode;
  #waiting: readonly Interrupt[] | undefined;

  /** @param changes properties to replace */
  constructor(members: FrameMembers<Inner>, changes: Partial<FrameMembers<Inner>> = {}) {
    Object.assign(this, members, changes);
  }

  /**
   * The state as one plain, frozen object. It is created on first use, because its cost grows with the number
   * of keys.
   */
  get state(): JsonObject {
    return this.values.plain;
  }

  /**
   * Returns all open interrupts in source order. The result is cached, because usually only one of many
   * branches changes at a time.
   * @param inside must always return the same interrupts for the same inner run
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

/** Names with a special meaning in JavaScript objects. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name must not be used for a state key, a node or a step. */
export function isUnsafeName(name: string): boolean {
  return UNSAFE.has(name);
}

/** Whether a state key is reserved and cannot be written (C-24). */
export function isReservedKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('graph_') || isUnsafeName(key);
}

/** Whether a name is valid for an operation or event. Valid names can appear unescaped in keys and paths. */
export function isOperationName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name) && !isUnsafeName(name);
}

/**
 * Formats a path inside a graph: `outer › left`. Visit numbers above 1 are included. The result is not
 * escaped.
 */
export function pathText(path: string): string {
  const parts = path.split('/').map((part) => part.replace(/@1$/, ''));
  // A branch is named as the node that runs in it.
  return parts.filter((part, index) => part !== '' && part !== parts[index - 1]).join(' › ');
}
