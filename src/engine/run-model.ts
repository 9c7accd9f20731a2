import type {
  ErrorRecord,
  Message,
  ModelEvent,
  ModelReply,
  Part,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../core/index.js';
import { HitlError, isHitlError, messageOf, toolRef, toolRequestsOf } from '../core/index.js';
import { requestOf } from './request-of.js';
import type { Ending, RunLoop, Stage } from './run-loop.js';
import type { EngineEvent, RunOptions } from './run-options.js';

/**
 * One model call, from request to whole reply; text streams by as transient events. It ends the run where the reply asks
 * for no tools, its requests are handed back, or there is none.
 */
export class ModelCall implements Stage {
  readonly #loop: RunLoop;
  readonly #attempt: number;
  readonly #partial = new PartialText();
  #begun = false;
  /** The stream of the reply, where it can be left: it has begun, and neither ended nor broken. */
  #stream: AsyncIterator<ModelEvent> | undefined;
  #reply: ModelReply | undefined;
  #failed: { readonly thrown: unknown } | undefined;
  #asksForTools = false;
  #isOver = false;

  constructor(loop: RunLoop, attempt: number) {
    this.#loop = loop;
    this.#attempt = attempt;
  }

  next(): EngineEvent | undefined | Promise<EngineEvent | undefined> {
    if (this.#isOver) return undefined;
    if (this.#begun) return this.#heard();
    this.#begun = true;
    return { durable: true, events: [{ type: 'model-started', attempt: this.#attempt }] };
  }

  told(event: EngineEvent, state: RunState | undefined): void {
    if (event.durable) this.#loop.adopt(event.events, state);
  }

  async leave(): Promise<void> {
    await this.#stream?.return?.();
  }

  end(): Ending | undefined {
    if (this.#failed !== undefined) return this.#failure(this.#failed.thrown);
    if (!this.#asksForTools) return this.#loop.outcome({ type: 'ended', reason: { type: 'done' } });
    if (this.#loop.options.returnToolRequests !== true) return undefined;
    return this.#loop.outcome({ type: 'interrupted', interrupts: [] });
  }

  /** Reads on to what is shown before the reply is whole, or to the whole reply. */
  async #heard(): Promise<EngineEvent | undefined> {
    const { options, stop } = this.#loop;
    try {
      const stream = this.#stream ?? this.#ask();
      for (;;) {
        this.#stream = undefined;
        const step = await stream.next();
        if (step.done === true) break;
        this.#stream = stream;
        const event = this.#shown(step.value);
        if (event !== undefined) return event;
      }
      stop.signal.throwIfAborted();
      if (this.#reply === undefined) throw noReply(options);
    } catch (thrown) {
      this.#isOver = true;
      this.#failed = { thrown };
      return undefined;
    }
    this.#isOver = true;
    return this.#replied(this.#reply);
  }

  #ask(): AsyncIterator<ModelEvent> {
    const { options, state, stop } = this.#loop;
    return options.model.generate(requestOf(state, options), stop.signal)[Symbol.asyncIterator]();
  }

  #shown(event: ModelEvent): EngineEvent | undefined {
    if (event.type !== 'reply') {
      this.#partial.add(event);
      return { durable: false, event };
    }
    this.#reply = event.reply;
    return undefined;
  }

  #replied(reply: ModelReply): EngineEvent {
    const added = replyEvent(reply, this.#loop.state);
    this.#asksForTools = toolRequestsOf(added.message).length > 0;
    return this.#asksForTools
      ? { durable: true, events: [added], lazily: true }
      : { durable: true, events: [added, { type: 'run-ended', reason: { type: 'done' } }] };
  }

  #failure(thrown: unknown): Ending {
    const { text: partial } = this.#partial;
    const shown = partial === undefined ? {} : { partial };
    if (this.#loop.stop.aborted) return this.#loop.halt(shown);
    const error = modelError(thrown);
    return this.#loop.end({ type: 'failed', error: errorRecord(error), ...shown }, error);
  }
}

function noReply({ model }: RunOptions): HitlError {
  return new HitlError('MODEL_FAILED', `model \`${model.id}\` ended its stream without a reply`, {
    hint: 'try again; if it happens each time, the server does not speak the protocol',
  });
}

/** The error of a model: one of ours, whatever a model of somebody else throws. */
export function modelError(thrown: unknown): HitlError {
  return isHitlError(thrown) ? thrown : new HitlError('MODEL_FAILED', messageOf(thrown), { cause: thrown });
}

/** Gives the part of a thrown value that a journal keeps. */
export function errorRecord(thrown: HitlError): ErrorRecord {
  return {
    code: thrown.code,
    message: thrown.message,
    ...(thrown.hint !== undefined && { hint: thrown.hint }),
  };
}

/** The text of a reply that has not ended; it is never history (G20). */
class PartialText {
  #text = '';

  add(event: TransientEvent): void {
    if (event.type === 'text-delta') this.#text += event.text;
    if (event.type === 'restarted') this.#text = '';
  }

  get text(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }
}

/** The event that makes a reply history, with refs that are unique in the session. */
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

/** A tool request of a reply that did not end in tool use may be half of one: it never runs (G20). */
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
