import type {
  Activation,
  Actor,
  ErrorRecord,
  GraphFrame,
  GatePoints,
  Interrupt,
  InterruptDraft,
  JsonObject,
  NodePath,
  Resolution,
  RunEnd,
  RunState,
  SecretVault,
  SessionEvent,
  Start,
  TransientEvent,
  InboxEvent,
  RunInbox,
  Situation,
} from '../../core/index.js';
import {
  activationId,
  evolve,
  HitlError,
  inheriting,
  isoTime,
  isSuspension,
  nodePath,
  present,
  recordOf,
  thrownFrom,
  validUntil,
} from '../../core/index.js';
import type { EngineEvent, InterruptFactory, RunOptions, RunOutcome } from '../../engine/index.js';
import { NOTHING_TYPED } from '../../engine/index.js';
import type { Graph, NodeDefinition, SteerRules } from '../definition/graph-definition.js';
import type { GraphGuard } from './graph-guard.js';
import { settledEvent, withoutTyped } from './settle-node.js';

/** The start of a graph. */
export interface GraphStart {
  /** The initial state. */
  readonly set?: JsonObject;
  /** For weighted edges. Default 1. */
  readonly seed?: number;
  /** In addition to the graph's own; kept with the run for its resumes (I-14). */
  readonly before?: GatePoints;
  readonly after?: GatePoints;
  readonly maxIterations?: number;
}

/** The options of a graph's run; `run` is for its agents and tools. */
export interface GraphOptions {
  readonly run: RunOptions;
  readonly start?: GraphStart;
  /** Identifies the graph's code. Default: the graph's own. */
  readonly code?: string | undefined;
  /** Policies for the nodes, called in order. Default: none. */
  readonly guards?: readonly GraphGuard[];
  /** Default: none. */
  readonly observers?: readonly RunObserver[];
  /** Called with notices. */
  readonly notice?: (text: string) => void;
  /** Default: the run accepts no messages. */
  readonly steering?: GraphSteering;
}

/** The place where a graph runs: at the top of a session, or inside a node of another graph. */
export interface GraphPlace {
  readonly path: NodePath;
  readonly interrupts: InterruptFactory;
  /** The graph around it, where this one begins with its state. */
  readonly base?: GraphFrame;
  /** The actions that messages may ask, where the graph itself does not say. */
  readonly steer?: SteerRules;
  /** A person has decided something around it. */
  readonly hasAnswers?: boolean;
}

/** The events of a part of a run, on the way to its result. */
export type Steps<T = void> = AsyncGenerator<EngineEvent, T>;

/** The effect on a run of a node that comes to rest: an outcome ends the run, otherwise it goes on. */
export type NodeRest = Steps<RunOutcome | undefined>;

export interface LoopOptions {
  readonly graph: Graph;
  readonly options: GraphOptions;
  readonly place: GraphPlace;
  /** Runs a graph inside of this one. */
  readonly inner: (
    state: RunState,
    what: Pick<LoopOptions, 'graph' | 'options' | 'place'>,
    signal: AbortSignal,
  ) => Steps<RunOutcome>;
}

/** A failure of a node in the process that saw it. */
export interface LiveFailure {
  readonly node: string;
  readonly visit: number;
  readonly thrown: unknown;
}

/** One graph run between two events. */
export class GraphLoop {
  state: RunState;
  /** The last failure that was seen here. The journal has less of it. */
  failure: LiveFailure | undefined;
  readonly graph: Graph;
  readonly options: GraphOptions;
  readonly place: GraphPlace;
  readonly inner: LoopOptions['inner'];

  constructor(state: RunState, { graph, options, place, inner }: LoopOptions) {
    this.state = state;
    this.graph = graph;
    this.options = options;
    this.place = place;
    this.inner = inner;
  }

  /** The secrets that people typed into fields. */
  get vault(): SecretVault {
    return this.options.run.vault ?? NOTHING_TYPED;
  }

  /**
   * Tells events as one durable batch; the state knows them when the consumer has kept them. A consumer that folds them
   * itself hands its state over, as in a chat.
   */
  *tell(events: readonly SessionEvent[]): Generator<EngineEvent, void, RunState | undefined> {
    const kept = yield { durable: true, events };
    this.state = kept ?? events.reduce((state, event) => evolve(state, this.#inherited(event)), this.state);
  }

  /** A graph that inherits does so from what is around it, which this loop does not see. */
  #inherited(event: SessionEvent): SessionEvent {
    return event.scope === undefined ? inheriting(event, this.place.base) : event;
  }

  /** The signal aborted: as in a chat, a suspension leaves the run where it is. */
  *halt(signal: AbortSignal): Generator<EngineEvent, RunOutcome> {
    const reason = { type: 'aborted' } as const;
    if (isSuspension(signal.reason)) return { type: 'ended', reason, state: this.state };
    return yield* this.end(reason);
  }

  *end(reason: RunEnd): Generator<EngineEvent, RunOutcome> {
    yield* this.tell([{ type: 'run-ended', reason }]);
    return { type: 'ended', reason, state: this.state };
  }

  *raise(...drafts: readonly InterruptDraft[]): Generator<EngineEvent, void> {
    yield* this.tell(drafts.map((draft) => this.raised(draft)));
  }

  /** What a yes is held to now: the code of the run, and the time by its clock. */
  get start(): Start {
    const { code, run } = this.options;
    return { code, at: run.clock.now() };
  }

  /** Makes the questions of the node that runs, and of what runs inside it. */
  get interrupts(): InterruptFactory {
    return this.place.interrupts.asking(this.state.graph?.current?.people);
  }

  /** The event that asks something of this graph. */
  raised(draft: InterruptDraft): SessionEvent & { readonly type: 'interrupt-raised' } {
    const { code, run } = this.options;
    const bound = code === undefined ? {} : { bound: { run: run.runId, tool: '', code } };
    return {
      type: 'interrupt-raised',
      interrupt: this.interrupts.at(this.place.path).make({ ...bound, ...draft }),
    };
  }

  /** The event that answers what was asked. */
  resolved(asked: Interrupt, by: Actor, resolution: Resolution): SessionEvent {
    const { id, digest } = asked;
    const resolvedAt = isoTime(this.options.run.clock.now());
    const until = validUntil(asked, { action: resolution.action, by, at: resolvedAt });
    return {
      type: 'interrupt-resolved',
      id,
      digest,
      resolution,
      by,
      resolvedAt,
      ...present({ validUntil: until }),
    };
  }

  /** Puts what a node gave into the state. */
  *settle(current: Activation, result: Parameters<typeof settledEvent>[1]): Generator<EngineEvent, void> {
    yield* this.give(current, () => {
      const { values: state } = this.frame();
      const told = settledEvent(current, result, { graph: this.graph, node: this.node(current), state });
      return [withoutTyped(told, this.vault)];
    });
  }

  /** Tells what came of a node; what cannot be put into the state is a failure of the node. */
  *give(current: Activation, make: () => readonly SessionEvent[]): Generator<EngineEvent, void> {
    let events: readonly SessionEvent[];
    try {
      events = make();
    } catch (thrown) {
      yield* this.fail(current, recordOf(thrown), thrown);
      return;
    }
    yield* this.tell(events);
  }

  /** Tells that a node failed; `thrown` is what its body threw, where one did. */
  *fail(
    { node, visit }: Activation,
    error: ErrorRecord,
    thrown: unknown = thrownFrom(error),
  ): Generator<EngineEvent, void> {
    this.failure = { node, visit, thrown };
    yield* this.tell([{ type: 'node-failed', node, visit, error: withoutTypedIn(error, this.vault) }]);
  }

  frame(): NonNullable<RunState['graph']> {
    const { graph } = this.state;
    if (graph === undefined) throw new HitlError('INTERNAL', 'the graph has not begun');
    return graph;
  }

  /** The activation that runs, as it is now. */
  current(): Activation {
    const { current } = this.frame();
    if (current === undefined) throw new HitlError('INTERNAL', 'no node runs');
    return current;
  }

  node({ node }: Activation): NodeDefinition {
    const found = this.graph.nodes[node];
    if (found === undefined) throw new HitlError('INTERNAL', `no node \`${node}\``);
    return found;
  }

  /** Gives the path of an activation, from the top of the session. */
  pathOf(current: Activation): NodePath {
    return joinPaths(this.place.path, activationId(current));
  }
}

/** `outer@1` and `inner@2` as `outer@1/inner@2`. */
export function joinPaths(outer: string, inner: string): NodePath {
  return nodePath([outer, inner].filter((part) => part !== '').join('/'));
}

/** An event as it looks from around the place where it happened. */
export function placedAt<Event extends SessionEvent | TransientEvent>(event: Event, scope: NodePath): Event {
  return { ...event, scope: joinPaths(scope, event.scope ?? '') };
}

/** The record of an error without the secrets that a person typed: a body may have put them into what it threw. */
export function withoutTypedIn({ thrown, ...error }: ErrorRecord, vault: SecretVault): ErrorRecord {
  return {
    ...error,
    message: vault.maskText(error.message),
    ...(thrown !== undefined && { thrown: vault.mask(thrown) }),
  };
}

/** The event that stores a model's interpretation of a message. */
export type ActionChosen = Extract<InboxEvent, { readonly type: 'action-chosen' }>;

/** Outside messages for a workflow, and their interpreter. */
export interface GraphSteering {
  readonly inbox: RunInbox;
  /** Interprets free text as one action. Default: text is guidance for the next node. */
  readonly reason?: (situation: Required<Situation>, signal: AbortSignal) => Promise<ActionChosen>;
  /** Called with notices. */
  readonly notice?: (text: string) => void;
}

/** Observes a run's events, durable ones after they were stored; never past ones. */
export type RunObserver = (event: SessionEvent | TransientEvent) => void;
