import type {
  ErrorRecord,
  Message,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  Part,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../core/index.js';
import { HitlError, isHitlError, messageOf, toolRef, toolRequestsOf } from '../core/index.js';
import type { ActiveRun, RunOutcome, Steps } from './active-run.js';
import type { RunOptions } from './run-options.js';
import type { Stop } from './stop.js';

/**
 * Requests one reply and emits its text as transient events. If it returns an outcome, the run has ended
 * because the reply does not contain tool requests, because they are returned to the caller, or because there
 * is no reply.
 */
export async function* askModel(run: ActiveRun, attempt: number): Steps<RunOutcome | undefined> {
  yield* run.tell([{ type: 'model-started', attempt }]);
  await using reading = new ReplyReader(run.options.model, run.request(attempt), run.stop);
  const partial = new PartialText();
  for (let event = await reading.next(); event !== undefined; event = await reading.next()) {
    partial.add(event);
    yield { durable: false, event };
  }
  const { reply, failure } = reading;
  if (reply === undefined || failure !== undefined)
    return yield* noReply(run, failure?.thrown ?? nothingCame(run.options), partial.shown);
  const added = replyEvent(reply, run.state);
  if (toolRequestsOf(added.message).length === 0) {
    yield* run.tell([added, { type: 'run-ended', reason: { type: 'done' } }]);
    return { type: 'ended', reason: { type: 'done' }, state: run.state };
  }
  yield* run.tell([added], true);
  return run.options.returnToolRequests === true
    ? { type: 'interrupted', interrupts: [], state: run.state }
    : undefined;
}

/**
 * Reads the stream of a reply. A failure is returned as a value, to distinguish it from an error in the code
 * that consumes the run. Disposing of the reader abandons an unfinished stream.
 */
export class ReplyReader implements AsyncDisposable {
  /** The complete reply. It is available after the end of the stream. */
  reply: ModelReply | undefined;
  /** The error from the model, or the reason for a stop. */
  failure: { readonly thrown: unknown } | undefined;
  readonly #model: Model;
  readonly #request: ModelRequest;
  readonly #stop: Stop;
  /** The model's stream. Absent before the request, and once the stream can no longer be abandoned. */
  #stream: AsyncIterator<ModelEvent> | undefined;

  constructor(model: Model, request: ModelRequest, stop: Stop) {
    this.#model = model;
    this.#request = request;
    this.#stop = stop;
  }

  /**
   * Sends the request or continues reading. Returns the next event other than the reply; `undefined` at the
   * end of the stream.
   */
  async next(): Promise<TransientEvent | undefined> {
    try {
      const stream = this.#stream ?? this.#ask();
      for (;;) {
        this.#stream = undefined;
        const step = await stream.next();
        if (step.done === true) break;
        this.#stream = stream;
        if (step.value.type !== 'reply') return step.value;
        this.reply = step.value.reply;
      }
      this.#stop.signal.throwIfAborted();
    } catch (thrown) {
      this.failure = { thrown };
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.return?.();
  }

  #ask(): AsyncIterator<ModelEvent> {
    return this.#model.generate(this.#request, this.#stop.signal)[Symbol.asyncIterator]();
  }
}

/** Ends the run without a reply, because it was stopped or the model failed. */
function noReply(
  run: ActiveRun,
  thrown: unknown,
  shown: { readonly partial?: string },
): ReturnType<ActiveRun['end']> {
  if (run.stop.aborted) return run.halt(shown);
  const error = modelError(thrown);
  return run.end({ type: 'failed', error: errorRecord(error), ...shown }, error);
}

function nothingCame({ model }: RunOptions): HitlError {
  return new HitlError('MODEL_FAILED', `model \`${model.id}\` ended its stream without a reply`, {
    hint: 'try again; if it keeps happening, the server does not support the protocol',
  });
}

/** Converts any model error to a `HitlError`. */
export function modelError(thrown: unknown): HitlError {
  return isHitlError(thrown) ? thrown : new HitlError('MODEL_FAILED', messageOf(thrown), { cause: thrown });
}

/** Returns the part of an error that is stored in the journal. */
export function errorRecord(thrown: HitlError): ErrorRecord {
  return {
    code: thrown.code,
    message: thrown.message,
    ...(thrown.hint !== undefined && { hint: thrown.hint }),
  };
}

/** Text of an unfinished reply. It never becomes part of the history (G20). */
class PartialText {
  #text = '';

  add(event: TransientEvent): void {
    if (event.type === 'text-delta') this.#text += event.text;
    if (event.type === 'restarted') this.#text = '';
  }

  get shown(): { readonly partial?: string } {
    return this.#text === '' ? {} : { partial: this.#text };
  }
}

/** Creates the event that adds a reply to the history, with refs that are unique in the session. */
function replyEvent(reply: ModelReply, state: RunState): SessionEvent & { type: 'message-added' } {
  const { usage, end, refusal } = reply;
  const content = end === 'tool-use' ? reply.content : reply.content.map(cutShort);
  const message: Message = { role: 'model', content: uniqueRefs(content, state) };
  return {
    type: 'message-added',
    message,
    end,
    ...(usage !== undefined && { usage }),
    ...(refusal !== undefined && { refusal }),
  };
}

/** Marks a tool request as incomplete if its reply did not end in tool use. The request never runs (G20). */
function cutShort(part: Part): Part {
  if (part.type !== 'tool-request') return part;
  return { ...part, problem: 'the reply ended before this call was complete; it did not run' };
}

function uniqueRefs(content: readonly Part[], state: RunState): readonly Part[] {
  const taken = new Set<string>();
  return content.map((part): Part => {
    if (part.type !== 'tool-request') return part;
    const ref = freeRef(part.ref, taken, state);
    taken.add(ref);
    return ref === part.ref ? part : { ...part, ref: toolRef(ref) };
  });
}

function freeRef(wanted: string, taken: ReadonlySet<string>, state: RunState): string {
  const base = wanted === '' ? `call${state.entries.length + 1}` : wanted;
  let ref = base;
  for (let n = 2; taken.has(ref) || state.refs.has(ref); n += 1) ref = `${base}~${n}`;
  return ref;
}
