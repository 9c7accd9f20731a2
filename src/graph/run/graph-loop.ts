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

/** Options for starting a graph. */
export interface GraphStart {
  /** The initial state. */
  readonly set?: JsonObject;
  /** Seed for weighted edges. Default: 1. */
  readonly seed?: number;
  /**
   * Gates in addition to the graph's own; stored with the run, so they also apply when it is resumed (I-14).
   */
  readonly before?: GatePoints;
  readonly after?: GatePoints;
  readonly maxIterations?: number;
}

/** Options for running a graph; `run` applies to its agents and tools. */
export interface GraphOptions {
  readonly run: RunOptions;
  readonly start?: GraphStart;
  /** Identifies the code of the graph. Default: the `code` of the graph itself. */
  readonly code?: string | undefined;
  /** Policies for the nodes, in calling order. Default: none. */
  readonly guards?: readonly GraphGuard[];
  /** Default: none. */
  readonly observers?: readonly RunObserver[];
  /** Called with notices. */
  readonly notice?: (text: string) => void;
  /** Default: the run does not accept messages. */
  readonly steering?: GraphSteering;
}

/** The location of a running graph: at the top of a session, or inside another graph's node. */
export interface GraphPlace {
  readonly path: NodePath;
  readonly interrupts: InterruptFactory;
  /** The enclosing graph, if this graph starts with its state. */
  readonly base?: GraphFrame;
  /** Actions that messages may request if the graph does not specify any. */
  readonly steer?: SteerRules;
  /** Whether a person has made a decision in an enclosing part of the run. */
  readonly hasAnswers?: boolean;
}

/** The events of one part of a run, followed by its result. */
export type Steps<T = void> = AsyncGenerator<EngineEvent, T>;

/** The events of a node. If they end with an outcome, the run stops; otherwise it continues. */
export type NodeRest = Steps<RunOutcome | undefined>;

export interface LoopOptions {
  readonly graph: Graph;
  readonly options: GraphOptions;
  readonly place: GraphPlace;
  /** Runs a nested graph. */
  readonly inner: (
    state: RunState,
    what: Pick<LoopOptions, 'graph' | 'options' | 'place'>,
    signal: AbortSignal,
  ) => Steps<RunOutcome>;
}

/** A node's failure, known only in the process where it happened. */
export interface LiveFailure {
  readonly node: string;
  readonly visit: number;
  readonly thrown: unknown;
}

/** A running graph, between two events. */
export class GraphLoop {
  state: RunState;
  /** The last failure in this process, in more detail than in the journal. */
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
   * Emits events as one durable batch, and updates the state once the consumer has stored them. A consumer
   * that folds events itself passes its state back in, as in a chat.
   */
  *tell(events: readonly SessionEvent[]): Generator<EngineEvent, void, RunState | undefined> {
    const kept = yield { durable: true, events };
    this.state = kept ?? events.reduce((state, event) => evolve(state, this.#inherited(event)), this.state);
  }

  /**
   * If a graph inherits the enclosing graph's state, adds that state to its start event, because this loop
   * folds only the inner graph's events.
   */
  #inherited(event: SessionEvent): SessionEvent {
    return event.scope === undefined ? inheriting(event, this.place.base) : event;
  }

  /** Handles an abort. As in a chat, a suspension leaves the run unchanged. */
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

  /** The current code and time, for checking whether approvals are still valid. */
  get start(): Start {
    const { code, run } = this.options;
    return { code, at: run.clock.now() };
  }

  /** Creates interrupts for the current node and everything inside it. */
  get interrupts(): InterruptFactory {
    return this.place.interrupts.asking(this.state.graph?.current?.people);
  }

  /** Returns the event that raises an interrupt in this graph. */
  raised(draft: InterruptDraft): SessionEvent & { readonly type: 'interrupt-raised' } {
    const { code, run } = this.options;
    const bound = code === undefined ? {} : { bound: { run: run.runId, tool: '', code } };
    return {
      type: 'interrupt-raised',
      interrupt: this.interrupts.at(this.place.path).make({ ...bound, ...draft }),
    };
  }

  /** Returns the event that answers an interrupt. */
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

  /** Emits a node's result and adds it to the state. */
  *settle(current: Activation, result: Parameters<typeof settledEvent>[1]): Generator<EngineEvent, void> {
    yield* this.give(current, () => {
      const { values: state } = this.frame();
      const told = settledEvent(current, result, { graph: this.graph, node: this.node(current), state });
      return [withoutTyped(told, this.vault)];
    });
  }

  /** Emits a node's result. If it cannot be added to the state, the node fails. */
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

  /** Emits a node's failure; `thrown` is the value that its body threw, if any. */
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
    if (graph === undefined) throw new HitlError('INTERNAL', 'the graph has not started');
    return graph;
  }

  /** Returns the running activation. */
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

  /** Returns the path of an activation, starting at the top of the session. */
  pathOf(current: Activation): NodePath {
    return joinPaths(this.place.path, activationId(current));
  }
}

/** Joins `outer@1` and `inner@2` into `outer@1/inner@2`. */
export function joinPaths(outer: string, inner: string): NodePath {
  return nodePath([outer, inner].filter((part) => part !== '').join('/'));
}

/** Returns an event as seen from the enclosing graph. */
export function placedAt<Event extends SessionEvent | TransientEvent>(event: Event, scope: NodePath): Event {
  return { ...event, scope: joinPaths(scope, event.scope ?? '') };
}

/** Masks typed secrets in an error record, in case a body put them in an error. */
export function withoutTypedIn({ thrown, ...error }: ErrorRecord, vault: SecretVault): ErrorRecord {
  return {
    ...error,
    message: vault.maskText(error.message),
    ...(thrown !== undefined && { thrown: vault.mask(thrown) }),
  };
}

/** The event that records how a model interpreted a message. */
export type ActionChosen = Extract<InboxEvent, { readonly type: 'action-chosen' }>;

/** External messages for a workflow, and their interpreter. */
export interface GraphSteering {
  readonly inbox: RunInbox;
  /** Interprets free text as one action. Default: text becomes guidance for the next node. */
  readonly reason?: (situation: Required<Situation>, signal: AbortSignal) => Promise<ActionChosen>;
  /** Called with notices. */
  readonly notice?: (text: string) => void;
}

/** Observes the new events of a run. Durable events are reported once they are stored. */
export type RunObserver = (event: SessionEvent | TransientEvent) => void;
