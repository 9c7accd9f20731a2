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

/** The beginning of a workflow: gates beside its own, and what chance it has. */
export interface FlowStartOptions extends Omit<GraphStart, 'set'>, StopOptions {}

/** A message to a workflow, from a caller of the library where nobody is named. */
export interface FlowMessage extends Omit<MessageDraft, 'from' | 'event'> {
  readonly from?: Actor;
}

/** Something that happened outside, for a workflow that waits for it by `ctx.event`. */
export interface FlowEvent extends Pick<FlowMessage, 'id' | 'from' | 'expiresAt'> {
  readonly event: string;
  /** Default: `null`. */
  readonly data?: JsonValue;
}

/** The settings of a workflow that does a part of itself anew. */
export interface AgainOptions extends StopOptions {
  /** Allows that something which was done once is done once more. Default: DONE_ONCE is thrown before it. */
  readonly again?: boolean;
  /** The person who wants it. Default: `library`. */
  readonly by?: Actor;
}

/** The place where a workflow came to rest; where it is done, with what it gave. */
export type FlowResult<Output = unknown> =
  | Exclude<RunResult, { readonly type: 'done' }>
  | { readonly type: 'done'; readonly text: string; readonly output: Output };

/** The first state of a workflow: with the key `input` where that has a type, else any JSON object. */
export type FlowState<Input> = unknown extends Input
  ? JsonObject
  : JsonValue extends Input
    ? JsonObject
    : { readonly input: Input };

/** A workflow that a program holds: it is kept as a chat is. Made by `openFlow`. */
export interface Flow<State = JsonObject, Output = unknown> extends AsyncDisposable {
  readonly id: SessionId;
  /** The questions that wait: of its nodes and gates, and of the tools of its agents. */
  readonly open: readonly Interrupt[];
  /**
   * The values that its nodes have written, and those that the code of a workflow has `put` so far, also while it waits;
   * empty before it was started.
   */
  readonly state: JsonObject;
  /** Whether it has begun; one that died before that is started again, and not resumed. */
  readonly isStarted: boolean;
  /** The whole state of its session: usage, what was decided, what each node did. */
  readonly runState: RunState;
  /**
   * Starts it, and runs until it is done or a person is needed; `state` is what it begins with. It throws, as it is
   * awaited or read, BAD_INPUT where it was started before, and what it failed with.
   */
  start(state?: State, options?: FlowStartOptions): LiveRun<FlowResult<Output>>;
  /** Answers questions, and goes on where nothing else waits. All are looked at before any counts. */
  answer(...answers: readonly Answer[]): LiveRun<FlowResult<Output>>;
  /** Goes on with what is left to do: after a crash, a stop, a failure, a message, or answers from elsewhere. */
  resume(options?: StopOptions): LiveRun<FlowResult<Output>>;
  /** The events behind the one that is named, from the journal, and then those that happen until it rests. */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /** The nodes on the way to here, without what was gone back over; the current one last. */
  history(): readonly Activation[];
  /**
   * Goes back to just before a node ran, `review` or `review@2`, or an operation of the code that ran last, `healthy#2`;
   * `resume` goes on from there. What was done outside stays done. @throws HitlError BAD_INPUT for what is not on the
   * way, SESSION_BUSY while it runs
   */
  rewind(to: string): Promise<void>;
  /**
   * Finds what it would be to move the run to the definition that it was opened with, where it began with another one: the
   * changes, and a replay of its code. Nothing is moved.
   */
  migration(): Promise<Migration>;
  /**
   * Moves the run, when a person agreed to the `plan` of what `migration` showed them; `resume` goes on.
   * @throws HitlError BAD_INPUT where it is not that any more, or cannot be moved; SESSION_BUSY while it runs
   */
  migrate(plan: string, by?: Actor): Promise<void>;
  /**
   * Does an operation of the code, `deploy#2`, or a node, `review@2`, and all that began after it anew, and goes on. Its
   * run throws DONE_ONCE, and nothing is changed, where that would do again what may be done once; `detail.again` has it.
   */
  rerun(from: string, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Takes a person's value in the place of what an operation of the code gave, or could not give, and goes on behind it:
   * it is not done again, and what began after it is, by the law of `rerun`. BAD_INPUT for a value that does not fit.
   */
  skip(operation: string, output: JsonValue, options?: AgainOptions): LiveRun<FlowResult<Output>>;
  /**
   * Makes another session with the same past, up to the record `at`, or to just before a place: `review@2`, `healthy#2`.
   * Default: up to now. This one stays as it is, and what was approved is asked again there. @returns its id, for
   * `openFlow`.
   */
  fork(at?: number | string): Promise<SessionId>;
  /**
   * Sends words or an action, which the run takes at its next safe point, also while it runs: `{ text: 'be brief' }`, or
   * `{ text: 'why', action: { action: 'update-state', patch } }`. A question that stands on what was changed is asked
   * anew; a message never answers for a person, and what would pass by a question waits for a yes. An event,
   * `{ event: 'build', data }`, is for what waits for it by its name, now or later; `resume` goes on with it.
   */
  send(message: FlowMessage | FlowEvent): Promise<SentMessage>;
  /** Gives the session back, for others to open. What still runs is left as a crash leaves it; `resume` goes on. */
  close(): Promise<void>;
}

/** The actor where a caller of the library does not say who. */
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
            hint: 'go on: `flow.resume()`',
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
          hint: 'show `flow.migration()` anew',
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
          throw new HitlError('DONE_ONCE', `to go on from \`${back.name}\` does again what was done once`, {
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
