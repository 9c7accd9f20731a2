import type {
  Activation,
  Actor,
  Answer,
  Interrupt,
  JsonObject,
  JsonValue,
  LiveEvent,
  MessageDraft,
  RunState,
  SentMessage,
  SessionId,
  SessionStore,
} from '../../core/index.js';
import { activationId, findPlace, HitlError, livePath } from '../../core/index.js';
import type { Graph, GraphStart, GraphSteering } from '../../graph/index.js';
import { runGraph, toolsAt } from '../../graph/index.js';
import { forkSession } from '../../repl/index.js';
import type { EventsOptions, LiveRun, LiveSessionOptions, StopOptions } from '../live/index.js';
import { LiveSession } from '../live/index.js';

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

/** A workflow that a program holds: it is kept as a chat is. Made by `openFlow`. */
export interface Flow extends AsyncDisposable {
  readonly id: SessionId;
  /** The questions that wait: of its nodes and gates, and of the tools of its agents. */
  readonly open: readonly Interrupt[];
  /** The values that its nodes have written; empty before it was started. */
  readonly state: JsonObject;
  /** The whole state of its session: usage, what was decided, what each node did. */
  readonly runState: RunState;
  /**
   * Starts it, and runs until it is done or a person is needed; `state` is what it begins with. It throws, as it is
   * awaited or read, BAD_INPUT where it was started before, and what it failed with.
   */
  start(state?: JsonObject, options?: FlowStartOptions): LiveRun;
  /** Answers questions, and goes on where nothing else waits. All are looked at before any counts. */
  answer(...answers: readonly Answer[]): LiveRun;
  /** Goes on with what is left to do: after a crash, a stop, a failure, a message, or answers from elsewhere. */
  resume(options?: StopOptions): LiveRun;
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
   * Makes another session with the same past, up to the record `at`. Default: up to now. This one stays as it is, and
   * what was approved is asked again there. @returns its id, for `openFlow`.
   */
  fork(at?: number): Promise<SessionId>;
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

export interface SessionFlowOptions extends Omit<LiveSessionOptions, 'flow'> {
  readonly graph: Graph;
  readonly store: SessionStore;
  readonly steering: GraphSteering;
}

function draftOf(sent: FlowMessage | FlowEvent): MessageDraft {
  if (!('event' in sent)) return { ...sent, from: sent.from ?? LIBRARY };
  const { event: name, data = null, from = LIBRARY, ...rest } = sent;
  return { ...rest, from, text: `event ${name}`, event: { name, data } };
}

/** A workflow on an open session. */
export class SessionFlow implements Flow {
  readonly #options: SessionFlowOptions;
  readonly #live: LiveSession;
  #start: GraphStart = {};

  constructor(options: SessionFlowOptions) {
    const { graph, run, steering } = options;
    this.#options = options;
    this.#live = new LiveSession({
      ...options,
      flow: {
        run: (state, stop) => runGraph(state, graph, { run, steering, start: this.#start }, stop),
        toolsAt: (path) => toolsAt(graph, path, run.tools),
      },
    });
  }

  get id(): SessionId {
    return this.#live.id;
  }

  get open(): readonly Interrupt[] {
    return this.#live.open;
  }

  get state(): JsonObject {
    return this.runState.graph?.state ?? {};
  }

  get runState(): RunState {
    return this.#live.state;
  }

  start(state: JsonObject = {}, { signal, ...options }: FlowStartOptions = {}): LiveRun {
    return this.#live.begin(
      ({ goOn }) => {
        if (this.runState.graph !== undefined)
          throw new HitlError('BAD_INPUT', `workflow ${this.id} was started before`, {
            hint: 'go on: `flow.resume()`',
          });
        this.#start = { ...options, set: state };
        return goOn();
      },
      { ...(signal && { signal }) },
    );
  }

  answer(...answers: readonly Answer[]): LiveRun {
    return this.#live.answer(answers);
  }

  resume(options?: StopOptions): LiveRun {
    return this.#live.begin(({ goOn }) => {
      if (this.runState.graph === undefined) throw this.#notStarted();
      return goOn();
    }, options);
  }

  events(options?: EventsOptions): AsyncIterable<LiveEvent> {
    return this.#live.events(options);
  }

  history(): readonly Activation[] {
    const { graph } = this.runState;
    return graph === undefined ? [] : livePath(graph);
  }

  rewind(to: string): Promise<void> {
    return this.#live.change(async (session) => {
      const { graph } = session.state;
      if (graph === undefined) throw this.#notStarted();
      const place = findPlace(graph, to);
      if (typeof place === 'string')
        throw new HitlError('BAD_INPUT', place, {
          hint: `such as: ${livePath(graph).map(activationId).join(', ')}`,
        });
      const { activation, operation } = place;
      const { node, visit } = activation;
      await session.append([{ type: 'rewound', node, visit, ...(operation !== undefined && { operation }) }]);
      await session.saveTranscript?.();
    });
  }

  async fork(at?: number): Promise<SessionId> {
    const { store } = this.#options;
    const { id } = await forkSession(store, this.id, at === undefined ? {} : { at });
    return id;
  }

  send(sent: FlowMessage | FlowEvent): Promise<SentMessage> {
    const mail = this.#options.store.mail(this.id);
    return mail.send(draftOf(sent), {}, new AbortController().signal);
  }

  close(): Promise<void> {
    return this.#live.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #notStarted(): HitlError {
    return new HitlError('NOTHING_TO_RESUME', `workflow ${this.id} was not started`, {
      hint: 'start it: `flow.start(…)`',
    });
  }
}
