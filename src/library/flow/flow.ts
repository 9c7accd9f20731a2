import type {
  Activation,
  Actor,
  Answer,
  Interrupt,
  JsonObject,
  JsonValue,
  LiveEvent,
  MessageDraft,
  OptionTable,
  RunResult,
  RunState,
  SentMessage,
  SessionId,
  SessionStore,
} from '../../core/index.js';
import {
  ANYTHING,
  checkOptions,
  checkTakesMessages,
  HitlError,
  isJsonObject,
  livePath,
  OBJECT,
  operationState,
  outputOf,
  required,
  TEXT,
} from '../../core/index.js';
import type { Graph, GraphStart, GraphSteering, Migration } from '../../graph/index.js';
import { migrationEvents, migrationOf, runGraph, toolsAt } from '../../graph/index.js';
import type { RewoundBy } from '../../repl/index.js';
import { forkSession, goingBack, keep, onceAgain, rewoundEvent } from '../../repl/index.js';
import type { EventsOptions, LiveSessionOptions, StopOptions } from '../live/live-session.js';
import type { LiveRun } from '../live/live-run.js';
import { HeldSession } from '../live/held-session.js';
import { LiveSession } from '../live/live-session.js';
import { resultOf } from '../live/result.js';

/** Additional gates and the seed of a start. */
export interface FlowStartOptions extends Omit<GraphStart, 'set'>, StopOptions {}

/** A message to a workflow, from an unnamed caller. */
export interface FlowMessage extends Omit<MessageDraft, 'from' | 'event'> {
  readonly from?: Actor;
}

/** An outside event, for a workflow that waits with `ctx.event`. */
export interface FlowEvent extends Pick<FlowMessage, 'id' | 'from' | 'expiresAt'> {
  readonly event: string;
  /** Default: `null`. */
  readonly data?: JsonValue;
}

/** The options of rerunning a part of a workflow. */
export interface AgainOptions extends StopOptions {
  /** Allows repeating effects that already happened. Default: throws DONE_ONCE before repeating any. */
  readonly again?: boolean;
  /** The actor. Default: `library`. */
  readonly by?: Actor;
}

/** How a workflow stopped; with its output if it is done. */
export type FlowResult<Output = unknown> =
  | Exclude<RunResult, { readonly type: 'done' }>
  | { readonly type: 'done'; readonly text: string; readonly output: Output };

/** The initial state of a workflow: with the key `input` if it is typed, otherwise any JSON object. */
export type FlowState<Input> = unknown extends Input
  ? JsonObject
  : JsonValue extends Input
    ? JsonObject
    : { readonly input: Input };

/** A saved workflow run, like a chat. Created by `openFlow`. */
export interface Flow<State = JsonObject, Output = unknown> extends AsyncDisposable {
  readonly id: SessionId;
  /** The open questions of its nodes, gates and agents' tools. */
  readonly open: readonly Interrupt[];
  /** The state written by its nodes and by `put` of its code, also while it waits; empty before the start. */
  readonly state: JsonObject;
  /** Whether it has started; one that died before that must be started, not resumed. */
  readonly isStarted: boolean;
  /** The whole session state: usage, decisions, nodes. */
  readonly runState: RunState;
  /**
   * Starts it with an initial `state` and runs until it is done or a person is needed. When awaited or read,
   * it throws BAD_INPUT if it was already started, and its own failure.
   */
  start(state?: State, options?: FlowStartOptions): LiveRun<FlowResult<Output>>;
  /** Answers questions and continues if none remains open. All answers are validated first. */
  answer(...answers: readonly Answer[]): LiveRun<FlowResult<Output>>;
  /** Continues after a crash, a stop, a failure, a message, or answers from elsewhere. */
  resume(options?: StopOptions): LiveRun<FlowResult<Output>>;
  /** Returns the events after a given one from the journal, then new ones until the run stops. */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /** Returns the nodes that led here, without undone ones; the current one is last. */
  history(): readonly Activation[];
  /**
   * Goes back to just before a node ran, `review` or `review@2`, or an operation of the last code run, `healthy#2`;
   * then call `resume`. Outside effects are not undone.
   * @throws HitlError BAD_INPUT for an unknown place, SESSION_BUSY during a run
   */
  rewind(to: string): Promise<void>;
  /**
   * Returns the move of the run to the definition that it was opened with, if they differ: the changes, and a replay.
   * Nothing moves.
   */
  migration(): Promise<Migration>;
  /**
   * Moves the run after a person confirmed the `plan` of `migration`; then call `resume`.
   * @throws HitlError BAD_INPUT if the plan is outdated or impossible; SESSION_BUSY during a run
   */
  migrate(plan: string, by?: Actor): Promise<void>;
  /**
   * Reruns an operation, `deploy#2`, or a node, `review@2`, and everything after it, and continues. Throws DONE_ONCE
   * and changes nothing if that would repeat `once` effects, listed in `detail.again`.
   */
  rerun(from: string, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Supplies an operation's result and continues after it: it does not run again, later operations do, with the rules
   * of `rerun`. Throws BAD_INPUT for an invalid value.
   */
  skip(operation: string, output: JsonValue, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Creates another session with the same past, up to event `at`, or to just before a place: `review@2`, `healthy#2`.
   * Default: up to now. This session is unchanged; the new one asks for approvals again.
   * @returns its id, for `openFlow`.
   */
  fork(at?: number | string): Promise<SessionId>;
  /**
   * Sends text or an action, which the run reads at its next safe point, also during a run: `{ text: 'be brief' }`,
   * or `{ text: 'why', action: { action: 'update-state', patch } }`. Questions about changed state are asked again; a
   * message never answers for a person, and bypassing a question needs an approval. An event, `{ event: 'build', data
   * }`, is for a wait with its name, now or later; then call `resume`.
   */
  send(message: FlowMessage | FlowEvent): Promise<SentMessage>;
  /** Releases the session for others. A run in progress ends as in a crash; `resume` continues it. */
  close(): Promise<void>;
}

/** Actor for library callers that name none. */
const LIBRARY: Actor = { type: 'person', name: 'library', via: 'library' };

type JsonResult = FlowResult<JsonValue>;

export interface SessionFlowOptions extends Omit<LiveSessionOptions, 'flow' | 'resultOf'> {
  readonly graph: Graph;
  readonly store: SessionStore;
  readonly steering: GraphSteering;
}

const MESSAGE: OptionTable<FlowMessage> = {
  text: required(TEXT),
  from: OBJECT,
  id: TEXT,
  action: OBJECT,
  priority: TEXT,
  target: TEXT,
  expiresAt: TEXT,
};
const EVENT: OptionTable<FlowEvent> = {
  event: required(TEXT),
  data: ANYTHING,
  id: TEXT,
  from: OBJECT,
  expiresAt: TEXT,
};

function draftOf(sent: FlowMessage | FlowEvent): MessageDraft {
  if (!('event' in sent)) return { ...sent, from: sent.from ?? LIBRARY };
  const { event: name, data = null, from = LIBRARY, ...rest } = sent;
  return { ...rest, from, text: `event ${name}`, event: { name, data } };
}

function flowResultOf(...run: Parameters<typeof resultOf>): JsonResult {
  const [, { graph }] = run;
  const result = resultOf(...run);
  return result.type === 'done'
    ? { ...result, output: graph === undefined ? null : outputOf(graph) }
    : result;
}

/** A workflow on an open session. */
export class SessionFlow extends HeldSession<JsonResult> implements Flow<JsonObject, JsonValue> {
  readonly #options: SessionFlowOptions;
  readonly #live: LiveSession<JsonResult>;
  readonly #begins: { start: GraphStart };

  constructor(options: SessionFlowOptions) {
    const { graph, run, steering } = options;
    const begins: { start: GraphStart } = { start: {} };
    const live = new LiveSession<JsonResult>({
      ...options,
      resultOf: flowResultOf,
      flow: {
        run: (state, stop, notice) => runGraph(state, graph, { run, steering, notice, ...begins }, stop),
        toolsAt: (path, state) => toolsAt(graph, state, path, run.tools),
      },
    });
    super(live);
    this.#options = options;
    this.#live = live;
    this.#begins = begins;
  }

  get state(): JsonObject {
    const { graph } = this.runState;
    if (graph === undefined) return {};
    const last = livePath(graph).at(-1);
    return last === undefined ? graph.state : { ...graph.state, ...operationState(last) };
  }

  get isStarted(): boolean {
    return this.runState.graph !== undefined;
  }

  start(state: JsonObject = {}, { signal, ...options }: FlowStartOptions = {}): LiveRun<JsonResult> {
    return this.#live.begin(
      ({ goOn }) => {
        if (this.isStarted)
          throw new HitlError('BAD_INPUT', `workflow ${this.id} was started before`, {
            hint: 'continue with `flow.resume()`',
          });
        this.#begins.start = { ...options, set: state };
        return goOn();
      },
      { ...(signal && { signal }) },
    );
  }

  resume(options?: StopOptions): LiveRun<JsonResult> {
    return this.#live.begin(({ goOn }) => {
      if (!this.isStarted) throw this.#notStarted();
      return goOn();
    }, options);
  }

  history(): readonly Activation[] {
    const { graph } = this.runState;
    return graph === undefined ? [] : livePath(graph);
  }

  rewind(to: string): Promise<void> {
    return this.#live.change(async (session) => {
      if (session.state.graph === undefined) throw this.#notStarted();
      await session.append([rewoundEvent(await goingBack(session, to), { by: LIBRARY })]);
      await session.saveTranscript?.();
    });
  }

  rerun(from: string, options: AgainOptions = {}): LiveRun<JsonResult> {
    return this.#goOnFrom(from, options);
  }

  skip(operation: string, output: JsonValue, options: AgainOptions = {}): LiveRun<JsonResult> {
    return this.#goOnFrom(operation, options, { output });
  }

  migration(): Promise<Migration> {
    return migrationOf(this.#options.graph, this.#live);
  }

  migrate(plan: string, by: Actor = LIBRARY): Promise<void> {
    const { graph } = this.#options;
    return this.#live.change(async (session) => {
      const found = await migrationOf(graph, session);
      if (found.problem !== undefined)
        throw new HitlError('BAD_INPUT', `it cannot be moved: ${found.problem}`);
      if (found.plan !== plan)
        throw new HitlError('BAD_INPUT', `\`${plan}\` is not what the move would be now`, {
          hint: 'call `flow.migration()` again',
        });
      await session.append(await migrationEvents(graph, session, by));
      await session.saveTranscript?.();
    });
  }

  async fork(at?: number | string): Promise<SessionId> {
    const { store } = this.#options;
    const { id } = await forkSession(store, this.id, at === undefined ? {} : { at });
    return id;
  }

  async send(sent: FlowMessage | FlowEvent): Promise<SentMessage> {
    checkOptions('`flow.send`', sent, isJsonObject(sent) && 'event' in sent ? EVENT : MESSAGE, 'BAD_INPUT');
    checkTakesMessages(this.id, this.runState);
    const mail = this.#options.store.mail(this.id);
    return mail.send(draftOf(sent), {}, new AbortController().signal);
  }

  #goOnFrom(
    to: string,
    { again = false, by = LIBRARY, signal }: AgainOptions,
    given?: RewoundBy['given'],
  ): LiveRun<JsonResult> {
    return this.#live.begin(
      async ({ renderer, goOn }) => {
        if (this.runState.graph === undefined) throw this.#notStarted();
        const { session } = this.#options;
        const back = await goingBack(session, to);
        const event = rewoundEvent(back, { by, ...(given !== undefined && { given }) });
        const twice = onceAgain(back, given !== undefined);
        if (twice.length > 0 && !again)
          throw new HitlError('DONE_ONCE', `continuing from \`${back.name}\` repeats effects`, {
            hint: '`{ again: true }` where a second time is meant; `detail.again` names it',
            detail: { again: twice },
          });
        await keep([event], session, renderer);
        return await goOn();
      },
      { ...(signal && { signal }) },
    );
  }

  #notStarted(): HitlError {
    return new HitlError('NOTHING_TO_RESUME', `workflow ${this.id} was not started`, {
      hint: 'start it: `flow.start(…)`',
    });
  }
}
