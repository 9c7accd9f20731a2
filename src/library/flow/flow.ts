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

/** Options for starting a workflow, such as additional gates and a random seed. */
export interface FlowStartOptions extends Omit<GraphStart, 'set'>, StopOptions {}

/** A message to a workflow. If `from` is absent, the sender is an unnamed library caller. */
export interface FlowMessage extends Omit<MessageDraft, 'from' | 'event'> {
  readonly from?: Actor;
}

/** An external event for a workflow that waits for it with `ctx.event`. */
export interface FlowEvent extends Pick<FlowMessage, 'id' | 'from' | 'expiresAt'> {
  readonly event: string;
  /** Default: `null`. */
  readonly data?: JsonValue;
}

/** Options for rerunning part of a workflow. */
export interface AgainOptions extends StopOptions {
  /** Whether effects that already happened may be repeated. By default, DONE_ONCE is thrown instead. */
  readonly again?: boolean;
  /** Actor to record. Default: `library`. */
  readonly by?: Actor;
}

/** How a workflow stopped, with its output if it is done. */
export type FlowResult<Output = unknown> =
  | Exclude<RunResult, { readonly type: 'done' }>
  | { readonly type: 'done'; readonly text: string; readonly output: Output };

/**
 * Initial state of a workflow: an object with the property `input` if the workflow declares an input type,
 * otherwise any JSON object.
 */
export type FlowState<Input> = unknown extends Input
  ? JsonObject
  : JsonValue extends Input
    ? JsonObject
    : { readonly input: Input };

/** A saved workflow run, created by `openFlow`. It can be closed and reopened like a chat. */
export interface Flow<State = JsonObject, Output = unknown> extends AsyncDisposable {
  readonly id: SessionId;
  /** Open questions from nodes, gates and the tools of agents. */
  readonly open: readonly Interrupt[];
  /**
   * State written by the workflow's nodes and by `put` in its code. It is empty before the start, and is also
   * available while the workflow is waiting.
   */
  readonly state: JsonObject;
  /**
   * Whether the workflow has started. A workflow whose process ended before the start must be started, not
   * resumed.
   */
  readonly isStarted: boolean;
  /** The full session state, including usage, decisions and nodes. */
  readonly runState: RunState;
  /**
   * Starts the workflow with an initial `state` and runs until it is done or a person is needed. When awaited
   * or iterated, the run throws BAD_INPUT if the workflow was already started, and any error of the workflow
   * itself.
   */
  start(state?: State, options?: FlowStartOptions): LiveRun<FlowResult<Output>>;
  /**
   * Answers questions, and continues if none remain open. All answers are validated before any is applied.
   */
  answer(...answers: readonly Answer[]): LiveRun<FlowResult<Output>>;
  /**
   * Continues, for example after a crash, a stop, a failure or a message, or after questions were answered
   * elsewhere.
   */
  resume(options?: StopOptions): LiveRun<FlowResult<Output>>;
  /**
   * Returns the events after a given event: first those in the journal, then new ones until the run stops.
   */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /** Returns the nodes that were run, in order, up to the current one. Leaves out nodes that were undone. */
  history(): readonly Activation[];
  /**
   * Goes back to just before a node (`review` or `review@2`) or just before an operation in the last code run
   * (`healthy#2`). Call `resume` afterwards. External effects are not undone.
   * @throws HitlError BAD_INPUT for an unknown location, SESSION_BUSY during a run
   */
  rewind(to: string): Promise<void>;
  /**
   * Returns a plan for migrating the run to the definition with which it was opened, if that definition
   * differs. The plan contains the changes and a replay. Nothing is migrated.
   */
  migration(): Promise<Migration>;
  /**
   * Migrates the run after a person has confirmed the `plan` returned by `migration`. Call `resume`
   * afterwards.
   * @throws HitlError BAD_INPUT if the plan is outdated or impossible; SESSION_BUSY during a run
   */
  migrate(plan: string, by?: Actor): Promise<void>;
  /**
   * Reruns an operation (`deploy#2`) or a node (`review@2`) and everything after it. If this would repeat
   * `once` effects, throws DONE_ONCE without any change, and lists the effects in `detail.again`.
   */
  rerun(from: string, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Sets the result of an operation and continues after it. The operation itself does not run again. Later
   * operations run again, with the restrictions described for `rerun`. Throws BAD_INPUT for an invalid value.
   */
  skip(operation: string, output: JsonValue, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Creates another session with the same history, up to event `at` or up to just before a location such as
   * `review@2` or `healthy#2`. Default: the full history. This session is not changed. The new session asks
   * for approvals again.
   * @returns the id of the new session, for `openFlow`.
   */
  fork(at?: number | string): Promise<SessionId>;
  /**
   * Sends text, an action or an event to the run, which may be in progress. Text, such as `{ text: 'be brief'
   * }`, and actions, such as `{ text: 'why', action: { action: 'update-state', patch } }`, are read at the
   * next safe point. Questions that depend on changed state are asked again. A message is never treated as a
   * person's answer, and an action that would bypass a question needs an approval. An event, such as `{
   * event: 'build', data }`, is delivered to the operation that waits for it, now or later. Call `resume`
   * afterwards.
   */
  send(message: FlowMessage | FlowEvent): Promise<SentMessage>;
  /**
   * Releases the session so that others can open it. A run in progress stops as if the process had crashed,
   * and `resume` continues it.
   */
  close(): Promise<void>;
}

/** Actor that is recorded if a library caller does not specify one. */
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

/** A workflow that runs on an open session. */
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
          throw new HitlError('BAD_INPUT', `workflow ${this.id} was already started`, {
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
        throw new HitlError('BAD_INPUT', `the workflow cannot be migrated: ${found.problem}`);
      if (found.plan !== plan)
        throw new HitlError('BAD_INPUT', `plan \`${plan}\` is out of date`, {
          hint: 'call `flow.migration()` again for the current plan',
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
            hint: 'pass `{ again: true }` to allow it; `detail.again` lists the effects',
            detail: { again: twice },
          });
        await keep([event], session, renderer);
        return await goOn();
      },
      { ...(signal && { signal }) },
    );
  }

  #notStarted(): HitlError {
    return new HitlError('NOTHING_TO_RESUME', `workflow ${this.id} has not been started`, {
      hint: 'start it: `flow.start(…)`',
    });
  }
}
