import type {
  Call,
  HitlErrorCode,
  InterruptDraft,
  RunState,
  SessionEvent,
  ToolErrorCode,
  ToolOutcome,
  TransientEvent,
} from '../core/index.js';
import { HitlError, isoTime, transcriptMessages, withCallPeople } from '../core/index.js';
import type { ActiveRun, RunOutcome, Steps } from './active-run.js';
import { bindingOf, toolSource } from './interrupts.js';
import { isFresh } from './next-step.js';
import type { PreparedCall, RoundScene, RunnableCall } from './prepare-call.js';
import { atStart, prepareCall, roundScene } from './prepare-call.js';
import { errorRecord } from './run-model.js';
import type { InterruptMint } from './interrupts.js';
import type { ToolRun } from './run-tool.js';
import { runTool, withdrawn } from './run-tool.js';

// Invariants:
// R1 `tool-started` of a call is told, and so durable, before its body is entered (G9).
// R2 Each call is told of as soon as it settles; a sibling's failure never stops or hides another's result (G15).
// R3 Leaving a round early stops every body and waits for it.
// R4 No call starts after a stop (G14).
// R5 Results may share a flush: with each other if they come in one turn of the event loop, and the last one with what
//    depends on it: the next start, the next request or the question.
// R6 At most `MOST_AT_ONCE` calls are prepared or run at a time; a call is prepared when there is room for its body, so
//    that what it was found to do is what it does. At most `MOST_CALLS` of one reply start.
// R7 A question that a body asks while it runs is durable before a person is asked, and the answer before the body has it;
//    so is what a file was before the body changes it.

/** Maximum number of calls that are prepared or running at a time. */
const MOST_AT_ONCE = 8;

/** Maximum number of calls that run per reply. */
const MOST_CALLS = 50;

/** Failures that the user can act on; all others are sent to the model. */
const ASKED: ReadonlySet<ToolErrorCode> = new Set(['failed', 'timeout']);

/**
 * Runs the tools requested in one reply in parallel, and reports each start and result. If it returns an
 * outcome, the run has ended: it was stopped, or a call failed with `onToolError: 'throw'`.
 */
export async function* runTools(run: ActiveRun, calls: readonly Call[]): Steps<RunOutcome | undefined> {
  const { admitted, excess } = admit(calls, run.state); // R6
  const round = new Round(run, admitted);
  try {
    yield* round.start(excess);
    for (;;) {
      round.prepare();
      if (!round.isBusy) break;
      const { progress, questions, ended, prepared } = await round.news();
      for (const event of progress) yield { durable: false, event };
      yield* round.keep(questions); // R7
      yield* round.settle(ended); // R2, R5
      for (const group of prepared) yield* round.start(group); // R1
    }
  } finally {
    await round.leave(); // R3
  }
  if (run.stop.aborted) return yield* run.halt();
  if (round.failures.length === 0 || run.options.onToolError !== 'throw') return undefined;
  const error = toolError(round.failures, run.state);
  return yield* run.end({ type: 'failed', error: errorRecord(error) }, error);
}

/** An update from the calls that are being prepared or run. */
type News =
  | { readonly type: 'prepared'; readonly calls: readonly PreparedCall[] }
  /** An internal failure that ends the run. */
  | { readonly type: 'broken'; readonly count: number; readonly thrown: unknown }
  | { readonly type: 'progress'; readonly event: TransientEvent }
  | Question
  | Ended;

/**
 * An event from a running tool, such as a question or a file that it is about to change. The tool waits until
 * the event is durable.
 */
interface Question {
  readonly type: 'question';
  readonly event: SessionEvent;
  readonly kept: () => void;
  readonly lost: (why: HitlError) => void;
}

interface Ended {
  readonly type: 'ended';
  readonly runnable: RunnableCall;
  readonly run: ToolRun;
}

/** All updates since the last check, in the order in which they are reported. */
interface Sorted {
  readonly progress: readonly TransientEvent[];
  readonly questions: readonly Question[];
  readonly ended: readonly Ended[];
  readonly prepared: readonly (readonly PreparedCall[])[];
}

/** A queue that passes items from parallel work to the generator that reports them. */
export class Arrivals<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Waits for at least one item and returns all that have arrived. */
  take(): Promise<readonly T[]> {
    if (this.#items.length > 0) return Promise.resolve(this.#taken());
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return woken.then(() => this.#taken());
  }

  #taken(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    this.#wake = undefined;
    return items;
  }
}

/** The calls of one reply, whether waiting, in preparation or running, and their events. */
class Round {
  /** Failures in the order in which they occurred. */
  readonly failures: ToolFailure[] = [];
  readonly #run: ActiveRun;
  readonly #interrupts: InterruptMint;
  readonly #scene: RoundScene;
  readonly #waiting: Call[];
  readonly #news = new Arrivals<News>();
  /** Questions in the latest updates. The tools that asked them are waiting. */
  #questions: readonly Question[] = [];
  /** Number of calls that are being prepared or are running. */
  #busy = 0;

  constructor(run: ActiveRun, calls: readonly Call[]) {
    this.#run = run;
    this.#interrupts = run.interrupts();
    this.#scene = roundScene(run.state.view, run.options);
    this.#waiting = [...calls];
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Starts preparing waiting calls, up to the limit. After a stop, it does nothing (R4, R6). */
  prepare(): void {
    const { options, stop } = this.#run;
    if (stop.aborted) return;
    const next = this.#waiting.splice(0, MOST_AT_ONCE - this.#busy);
    if (next.length === 0) return;
    this.#busy += next.length;
    void Promise.all(next.map((call) => prepareCall(call, options, this.#scene, stop))).then(
      (calls) => {
        this.#news.put({ type: 'prepared', calls });
      },
      (thrown: unknown) => {
        this.#news.put({ type: 'broken', count: next.length, thrown });
      },
    );
  }

  /** Waits for updates and returns all of them, grouped by type. */
  async news(): Promise<Sorted> {
    const news = await this.#take();
    const broken = news.find((one) => one.type === 'broken');
    if (broken !== undefined) throw broken.thrown;
    return {
      progress: news.flatMap((one) => (one.type === 'progress' ? [one.event] : [])),
      questions: this.#questions,
      ended: news.filter((one) => one.type === 'ended'),
      prepared: news.flatMap((one) => (one.type === 'prepared' ? [one.calls] : [])),
    };
  }

  /** Waits for updates, frees the slots of finished calls, and remembers the questions. */
  async #take(): Promise<readonly News[]> {
    const news = await this.#news.take();
    for (const one of news) this.#busy -= roomOf(one);
    this.#questions = news.filter((one) => one.type === 'question');
    return news;
  }

  /** Stores the questions and answers of running tools durably before the tools continue (R7). */
  *keep(questions: readonly Question[]): ReturnType<ActiveRun['tell']> {
    if (questions.length === 0) return;
    yield* this.#run.tell(questions.map(({ event }) => event));
    for (const { kept } of questions) kept();
  }

  /** Emits the events of tools that have ended. */
  *settle(ended: readonly Ended[]): ReturnType<ActiveRun['tell']> {
    const events = ended.flatMap(({ runnable, run }) => this.#lastEvents(runnable, run));
    if (events.length > 0) yield* this.#run.tell(events, true);
  }

  /** Reports the prepared calls, and then starts the tools of those that run (R1). */
  *start(prepared: readonly PreparedCall[]): ReturnType<ActiveRun['tell']> {
    const { options, stop } = this.#run;
    if (prepared.length === 0 || stop.aborted) return; // R4
    const now = options.clock.now();
    const found = prepared.map((one) => atStart(one, now, options));
    yield* this.#run.tell(found.map((one) => this.#firstEvent(one, now)));
    for (const one of found) if (one.type === 'run') this.#enter(one);
  }

  /** Stops running tools, waits for them to end, and withdraws their questions. */
  async leave(): Promise<void> {
    if (this.isBusy) this.#run.stop.abort();
    for (const { lost } of this.#questions) lost(withdrawn()); // no effect on those that were kept
    while (this.isBusy) {
      await this.#take();
      for (const { lost } of this.#questions) lost(withdrawn());
    }
  }

  #enter(runnable: RunnableCall): void {
    const { clock, runId, vault, keepCopy } = this.#run.options;
    this.#busy += 1;
    const running = runTool(
      runnable,
      {
        clock,
        runId,
        vault,
        keepCopy,
        scene: this.#scene,
        idempotencyKey: this.#idempotencyKey(runnable.call),
        progress: (event) => {
          this.#news.put({ type: 'progress', event });
        },
        make: (draft) => this.#interrupts.make(draft),
        keep: (event) =>
          new Promise((kept, lost) => {
            this.#news.put({ type: 'question', event, kept, lost });
          }),
      },
      this.#run.stop,
    );
    void running.then((run) => {
      this.#news.put({ type: 'ended', runnable, run });
    });
  }

  /** Returns a call's idempotency key, which is the same for every attempt. */
  #idempotencyKey(call: Call): string {
    return `${this.#run.options.runId}:${call.request.ref}`;
  }

  #firstEvent(prepared: PreparedCall, now: number): SessionEvent {
    const { call } = prepared;
    const { ref, name } = call.request;
    switch (prepared.type) {
      case 'settle':
        return this.#settled(call, prepared.outcome);
      case 'ask':
        return this.#raised(call, prepared.draft);
      case 'run':
        return {
          type: 'tool-started',
          ref,
          name,
          attempt: call.attempts + 1,
          input: prepared.input,
          effect: prepared.effect,
          idempotencyKey: this.#idempotencyKey(call),
          startedAt: isoTime(now),
          ...(prepared.title !== undefined && { title: prepared.title }),
          ...(prepared.plan !== undefined && { plan: prepared.plan }),
          ...(prepared.tool.code !== undefined && { code: prepared.tool.code }),
        };
    }
  }

  /**
   * Returns the events for the end of a tool. If the tool was abandoned, its result is unknown, so the call
   * stays started and is in doubt.
   */
  #lastEvents(runnable: RunnableCall, run: ToolRun): readonly SessionEvent[] {
    const { onToolError, runId } = this.#run.options;
    switch (run.type) {
      case 'abandoned':
        return [];
      case 'interrupted':
        return [this.#raised(runnable.call, run.draft)];
      case 'settled': {
        const { outcome, error } = run;
        const asks = onToolError === 'ask' && outcome.type === 'error' && ASKED.has(outcome.code);
        return [
          asks
            ? this.#raised(runnable.call, errorDraft(runnable, outcome, runId))
            : this.#settled(runnable.call, outcome, error),
        ];
      }
    }
  }

  #settled(call: Call, outcome: ToolOutcome, thrown?: unknown): SessionEvent {
    if (outcome.type === 'error') this.failures.push({ call, outcome, thrown });
    return { type: 'tool-settled', ref: call.request.ref, outcome };
  }

  #raised(call: Call, draft: InterruptDraft): SessionEvent {
    return { type: 'interrupt-raised', interrupt: this.#interrupts.make(withCallPeople(call, draft)) };
  }
}

/** Returns the number of calls that an update reports as no longer being prepared or running. */
function roomOf(news: News): number {
  switch (news.type) {
    case 'ended':
      return 1;
    case 'prepared':
      return news.calls.length;
    case 'broken':
      return news.count;
    case 'progress':
    case 'question':
      return 0;
  }
}

/** Creates the question about a failed tool. */
function errorDraft(
  runnable: RunnableCall,
  { code, message }: ToolOutcome & { type: 'error' },
  runId: string,
): InterruptDraft {
  const { call, tool } = runnable;
  return {
    kind: 'error',
    source: toolSource(call, runnable, 'engine'),
    payload: { code, message },
    ...(tool.outputSchema !== undefined && { answerSchema: tool.outputSchema }),
    bound: bindingOf(tool, runId),
  };
}

/** The calls that may run, and those over the limit, which are settled without starting. */
interface Admission {
  readonly admitted: readonly Call[];
  readonly excess: readonly PreparedCall[];
}

/**
 * Admits a reply's calls based only on their position, so that the result is the same after a crash. A
 * started or answered call stays admitted.
 */
function admit(calls: readonly Call[], { open }: RunState): Admission {
  const all = open?.calls ?? [];
  if (all.length <= MOST_CALLS) return { admitted: calls, excess: [] };
  const beyond = new Set(all.slice(MOST_CALLS).map(({ request }) => request.ref));
  const isExcess = (call: Call): boolean => beyond.has(call.request.ref) && isFresh(call);
  const message = `not started: the reply requests ${all.length} calls, and at most ${MOST_CALLS} run per reply; request it again in another reply`;
  const outcome: ToolOutcome = { type: 'error', code: 'not-run', message };
  return {
    admitted: calls.filter((call) => !isExcess(call)),
    excess: calls.filter(isExcess).map((call) => ({ type: 'settle', call, outcome })),
  };
}

/** A call in a round that ended with an error. */
interface ToolFailure {
  readonly call: Call;
  readonly outcome: ToolOutcome & { readonly type: 'error' };
  /** The value that the tool threw, if any. */
  readonly thrown?: unknown;
}

/**
 * Creates the error for a round with failures. Its detail lists every failure and the results of the other
 * calls.
 */
function toolError(failures: readonly ToolFailure[], state: RunState): HitlError {
  const codes = new Set(failures.map(({ outcome }) => codeOf(outcome.code)));
  const [code = 'TOOL_FAILED'] = codes.size === 1 ? codes : [];
  const thrown = failures.map((failure) => failure.thrown).filter((one) => one !== undefined);
  const cause = thrown.length > 1 ? new AggregateError(thrown) : thrown[0];
  return new HitlError(code, failures.map(describe).join('; '), {
    ...(cause !== undefined && { cause }),
    hint: 'the other calls have finished; see their results in `detail.messages`',
    detail: {
      failures: failures.map(({ call: { request }, outcome }) => ({
        ref: request.ref,
        name: request.name,
        code: outcome.code,
        message: outcome.message,
      })),
      messages: transcriptMessages(state),
    },
  });
}

function codeOf(code: ToolErrorCode): HitlErrorCode {
  if (code === 'not-found') return 'TOOL_NOT_FOUND';
  return code === 'invalid-input' ? 'TOOL_INPUT' : 'TOOL_FAILED';
}

function describe({ call, outcome: { code, message } }: ToolFailure): string {
  return code === 'failed' ? `tool \`${call.request.name}\` failed: ${message}` : message;
}
