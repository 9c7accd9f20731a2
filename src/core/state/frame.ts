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
  /** Its body was started and has not ended. */
  | 'started'
  /** It waits for answers that its body asked for. */
  | 'waiting'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'rejected'
  /** A person gave its output; it is not yet in the state. */
  | 'answered'
  /** It was gone back over, or rewound. */
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
  /** The value that a person put in the place of its input. */
  readonly input?: { readonly value: JsonValue };
  readonly output?: { readonly value: JsonValue };
  readonly error?: ErrorRecord;
  /** The number of times that its body was started. */
  readonly attempts: number;
  /** Attempts that failed since a person last said something about it. */
  readonly failures: number;
  /** There where a person said that it failed: nothing tries it again, and nobody is asked about it. */
  readonly failedBy?: 'person';
  readonly effect?: Effect;
  readonly startedAt?: string;
  /** The gates that were answered. */
  readonly passed: readonly ('before' | 'after')[];
  /** `stateDigest` of what was there when a gate was passed: it holds for that state, and for no other. */
  readonly held?: { readonly before?: string; readonly after?: string };
  /** The limits of the yes of each gate, and of one that let it run again. */
  readonly agreed?: { readonly before?: Terms; readonly after?: Terms };
  /** The people who agreed that it runs, where the gate before it named some. */
  readonly people?: ApprovalPolicy;
  /** The open interrupt of the node itself: a gate, a doubt or an error. */
  readonly open?: Interrupt;
  readonly asks: readonly AskRecord[];
  /** The state before it was changed, where that came after the body had asked: then the body asks anew. */
  readonly since?: StateChanges;
  /** The operations of its code by key, in the order of their beginning. */
  readonly operations: PersistentMap<OperationRecord>;
  /** Keys of operations that its code need not come to any more: a person who saw that agreed. */
  readonly passedOver?: readonly string[];
  /** The place from which its code starts. */
  readonly checkpoint?: Checkpoint;
  /** Words of people for this activation, and for no other one. */
  readonly guidance: readonly string[];
  /** The runs inside it: `''` is the agent, tool or graph of the node itself, any other key is that of a branch. */
  readonly frames: PersistentMap<Inner>;
  /** The runs inside it that nobody needs any more: what they asked is withdrawn. */
  readonly withdrawn?: readonly string[];
  /** The patches as the node gave them, before any reducer; for a merge of branches. */
  readonly patch?: StateChanges;
  /** Takes its own changes back. */
  readonly undo?: StateChanges;
  /** Takes back what people changed before it ran; the newest last. */
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
  /** The definition that it runs, as it was when the run began or was moved to it; absent in older sessions. */
  declare readonly outline?: GraphOutline;
  declare readonly start: string;
  declare readonly seed: number;
  declare readonly maxIterations: number;
  declare readonly before: GatePoints;
  declare readonly after: GatePoints;
  /** The operations of its code before which it stops. */
  declare readonly gates?: OperationGates;
  /** The names of all nodes, also of those inside of others. */
  declare readonly nodes?: readonly string[];
  declare readonly reducers: Readonly<Record<string, BuiltinReducer>>;
  /** The state by key: whoever needs single keys looks here. */
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
  /** The open interrupt of the run itself: the limit of iterations, or a pause that was asked for. */
  declare readonly open?: Interrupt;
  /** The history is not ours, or part of it is gone: nothing starts before somebody continues from it. */
  declare readonly unconfirmed?: 'elsewhere' | 'lost';
  /** A person cancelled; the run ends at the next step. */
  declare readonly cancelled?: { readonly reason?: string };
  /** A person's jump: enter this node next. */
  declare readonly next?: NextNode;
  #waiting: readonly Interrupt[] | undefined;

  /** @param changes take the place of what they name. */
  constructor(members: FrameMembers<Inner>, changes: Partial<FrameMembers<Inner>> = {}) {
    Object.assign(this, members, changes);
  }

  /** The state as one object, plain and frozen. Made when it is first looked at: its work is that of all keys. */
  get state(): JsonObject {
    return this.values.plain;
  }

  /**
   * Every interrupt that waits for an answer in it, in source order. Looked for once: of many branches one changes at a
   * time, and the rest keep what they found. @param inside finds those of what runs inside, always in the same way
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

  /** The frame with other members in the place of its own. */
  with(changes: Partial<FrameMembers<Inner>>): GraphFrameOf<Inner> {
    return new GraphFrameOf<Inner>(this, changes);
  }
}

type FrameMembers<Inner> = Omit<GraphFrameOf<Inner>, 'state' | 'waiting' | 'with'>;

/** `review@2`. */
export function activationId({ node, visit }: { readonly node: string; readonly visit: number }): string {
  return `${node}@${visit}`;
}

/** Names that mean something else to JavaScript wherever an object is looked into. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** True for a name that nothing may have: no key of a state, no node, no step. */
export function isUnsafeName(name: string): boolean {
  return UNSAFE.has(name);
}

/** True for keys of the state that nobody may write (C-24). */
export function isReservedKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('graph_') || isUnsafeName(key);
}

/** True for the name of an operation or an event, which stands in keys and paths as what it is. */
export function isOperationName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name) && !isUnsafeName(name);
}

/** A place inside a graph for people: `outer › left`, with the visit only where it is not the first. Not escaped. */
export function pathText(path: string): string {
  const parts = path.split('/').map((part) => part.replace(/@1$/, ''));
  // A branch is named as the node that runs in it.
  return parts.filter((part, index) => part !== '' && part !== parts[index - 1]).join(' › ');
}
