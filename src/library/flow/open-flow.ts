import type {
  Actor,
  AgentFingerprint,
  Clock,
  HumanChannel,
  JsonObject,
  JsonValue,
  Model,
  OptionTable,
  Session,
  SessionStore,
  Tool,
  ToolSet,
} from '../../core/index.js';
import {
  agentChange,
  anyOf,
  checkOptions,
  checkSessionId,
  FUNCTION,
  HitlError,
  LIST,
  OBJECT,
} from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import type { Graph, GraphSteering, UntypedGraph, Workflow } from '../../graph/index.js';
import { isGraph, toolsOfGraph } from '../../graph/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { reviewerOf } from '../../reviewer/index.js';
import { toolSet } from '../../tools/index.js';
import { NEW_SESSION, OLD_SESSION, SESSION } from '../live/session-options.js';
import { checkReviews, reviewedFirst } from '../live/reviewed-first.js';
import { runOf } from '../live/run-of.js';
import { storeOf } from '../open-store.js';
import type { Flow, FlowState } from './flow.js';
import { SessionFlow } from './flow.js';

/** Options for a workflow. Options set on an agent take precedence. */
export interface FlowOptions extends Pick<
  RunOptions,
  'limits' | 'maxOutputTokens' | 'onToolError' | 'context'
> {
  /** Model for agents that do not set one. Default: none, so these agents fail. */
  readonly model?: Model;
  /** Tools for agents that do not set any. Default: none. */
  readonly tools?: Iterable<Tool>;
  /** A store, or the folder of a file store. Default: a store in memory. */
  readonly store?: SessionStore | string;
  /**
   * Channel to the person to ask immediately, such as `personAtTerminal()`. Default: none, so questions wait.
   */
  readonly channel?: HumanChannel;
  /**
   * A reviewer that is asked about calls of `reviewable` tools before a person is: `modelReviewer(…)`, or
   * your own function. It can approve these calls, but nothing else. The journal records its verdicts.
   * Default: none.
   */
  readonly reviewer?: Reviewer | ReviewFunction;
  /**
   * Interprets messages that do not contain an action. Default: the text becomes guidance for the next node.
   */
  readonly reason?: NonNullable<GraphSteering['reason']>;
  /**
   * Clock for everything in the session: deadlines, timers, and the timestamps that are stored and sent. If
   * you pass a store, it must use the same clock. Default: the store's clock, or the system clock.
   */
  readonly clock?: Clock;
}

/** Options for creating a workflow run with `openFlow`. */
export interface NewFlowOptions extends FlowOptions {
  /** The requester, who cannot approve questions that exclude requesters. Default: unknown. */
  readonly by?: Actor;
  /** Session id. Default: a new id that sorts by creation time. */
  readonly id?: string;
  /** Title of the run. Default: the workflow's name. */
  readonly title?: string;
}

/** Options for reopening a workflow from a store. */
export interface OldFlowOptions extends FlowOptions {
  readonly store: SessionStore | string;
}

/**
 * Creates a session for a workflow, which must then be started with `start`, or reopens the session with the
 * given id. The session stays locked until it is closed.
 * @throws HitlError SESSION_ID, SESSION_EXISTS for a new session; SESSION_NOT_FOUND, SESSION_LOCKED,
 * SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE for an existing session; BAD_CONFIG for an invalid
 * workflow
 */
export function openFlow(graph: UntypedGraph, options?: NewFlowOptions): Promise<Flow<JsonObject, JsonValue>>;
export function openFlow<Input, Output>(
  workflow: Workflow<Input, Output>,
  options?: NewFlowOptions,
): Promise<Flow<FlowState<Input>, Output>>;
export function openFlow(
  id: string,
  graph: UntypedGraph,
  options: OldFlowOptions,
): Promise<Flow<JsonObject, JsonValue>>;
export function openFlow<Input, Output>(
  id: string,
  workflow: Workflow<Input, Output>,
  options: OldFlowOptions,
): Promise<Flow<FlowState<Input>, Output>>;
export async function openFlow(
  first: Graph | string,
  second?: Graph | NewFlowOptions,
  third?: OldFlowOptions,
): Promise<Flow<JsonObject, JsonValue>> {
  if (typeof first !== 'string') return begin(first, isOptions(second) ? second : {});
  if (!isGraph(second) || third === undefined)
    throw new HitlError('BAD_CONFIG', 'openFlow requires a workflow and a store', {
      hint: 'openFlow(id, graph, { store })',
    });
  return goOn(first, second, third);
}

function isOptions(given: Graph | NewFlowOptions | undefined): given is NewFlowOptions {
  return given !== undefined && !isGraph(given);
}

const FLOW: OptionTable<FlowOptions> = {
  ...SESSION,
  model: OBJECT,
  tools: anyOf(LIST, OBJECT),
  reason: FUNCTION,
};
const NEW_FLOW: OptionTable<NewFlowOptions> = { ...FLOW, ...NEW_SESSION };
const OLD_FLOW: OptionTable<OldFlowOptions> = { ...FLOW, ...OLD_SESSION };

async function begin(graph: Graph, options: NewFlowOptions): Promise<SessionFlow> {
  checkGraph(graph);
  checkOptions('`openFlow`', options, NEW_FLOW);
  const { id, title = graph.name, by } = options;
  const { store, clock } = storeOf(options);
  await checkReviews(store, options.reviewer);
  const tools = toolSet(options.tools ?? []);
  const agent = fingerprint(graph, options, tools);
  const session = await store.create({
    agent,
    title,
    ...(id !== undefined && { id: checkSessionId(id) }),
    ...(by !== undefined && { by }),
  });
  return flowOn({ session, store, clock, graph, tools }, options);
}

async function goOn(id: string, graph: Graph, options: OldFlowOptions): Promise<SessionFlow> {
  checkGraph(graph);
  checkOptions('`openFlow`', options, OLD_FLOW);
  const tools = toolSet(options.tools ?? []);
  const { store, clock } = storeOf(options);
  await checkReviews(store, options.reviewer);
  const session = await store.open(checkSessionId(id), 'write');
  try {
    if (session.state.graph === undefined && session.state.turns > 0)
      throw new HitlError('BAD_CONFIG', `session ${id} is a chat`, {
        hint: 'openChat(id, { store, model, tools })',
      });
    const { agent: saved } = session.state;
    const agent = {
      ...fingerprint(graph, options, tools),
      ...(saved?.flow !== undefined && { flow: saved.flow }),
    };
    session.beginWith(agentChange(session.state, agent));
    return flowOn({ session, store, clock, graph, tools }, options);
  } catch (thrown) {
    await session[Symbol.asyncDispose]();
    throw thrown;
  }
}

/**
 * @throws HitlError BAD_CONFIG if the value is not a workflow, for example a graph builder without
 * `.build()`.
 */
function checkGraph(graph: Graph): void {
  if (isGraph(graph)) return;
  throw new HitlError('BAD_CONFIG', 'this is not a workflow', {
    hint: 'end `graph(…)` with `.build()`',
  });
}

/**
 * Returns the model and all tools that the workflow may use. They are recorded so that every process can show
 * open questions and validate their answers.
 */
function fingerprint(graph: Graph, { model, reviewer }: FlowOptions, tools: ToolSet): AgentFingerprint {
  const shared = tools.descriptors;
  const own = toolSet(toolsOfGraph(graph)).descriptors.filter(({ name }) =>
    shared.every((one) => one.name !== name),
  );
  return {
    model: model?.id ?? 'none',
    tools: [...shared, ...own],
    ...(reviewer !== undefined && { reviewer: reviewerOf(reviewer).by.name }),
  };
}

const NO_MODEL: Model = {
  id: 'none',
  generate() {
    throw new HitlError('BAD_CONFIG', 'an agent in the workflow has no model', {
      hint: 'set a model on the agent, or pass one: `openFlow(graph, { model })`',
    });
  },
};

interface Parts {
  readonly session: Session;
  readonly clock: Clock;
  readonly store: SessionStore;
  readonly graph: Graph;
  readonly tools: ToolSet;
}

function flowOn({ session, store, clock, graph, tools }: Parts, options: FlowOptions): SessionFlow {
  const { model = NO_MODEL, channel, reason } = options;
  return new SessionFlow({
    session,
    store,
    graph,
    isShared: true,
    clock,
    ...reviewedFirst(options.reviewer, channel, clock),
    steering: { inbox: session.inbox(), ...(reason && { reason }) },
    run: runOf(session, { ...options, model, tools, clock }),
  });
}
