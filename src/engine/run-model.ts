import type {
  ErrorRecord,
  Message,
  ModelReply,
  Part,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../core/index.js';
import { HitlError, isHitlError, messageOf, toolRef, toolRequestsOf } from '../core/index.js';
import { requestOf } from './request-of.js';
import type { RunLoop, RunOutcome, Steps } from './run-loop.js';
import type { RunOptions } from './run-options.js';

/**
 * One model call, from request to whole reply; text streams by as transient events. An outcome ends the run: the reply
 * asks for no tools, its requests are handed back, or there is none.
 */
export async function* callModel(loop: RunLoop, attempt: number): Steps<RunOutcome | undefined> {
  const { options, stop } = loop;
  const started: SessionEvent = { type: 'model-started', attempt };
  loop.adopt([started], yield { durable: true, events: [started] });
  const partial = new PartialText();
  let reply: ModelReply | undefined;
  try {
    for await (const event of options.model.generate(requestOf(loop.state, options), stop.signal)) {
      if (event.type === 'reply') {
        reply = event.reply;
        continue;
      }
      partial.add(event);
      yield { durable: false, event };
    }
    stop.signal.throwIfAborted();
    if (reply === undefined) throw noReply(options);
  } catch (thrown) {
    const shown = partial.text === undefined ? {} : { partial: partial.text };
    if (stop.aborted) return yield* loop.halt(shown);
    const error = modelError(thrown);
    return yield* loop.end({ type: 'failed', error: errorRecord(error), ...shown }, error);
  }
  const added = replyEvent(reply, loop.state);
  const ends = toolRequestsOf(added.message).length === 0;
  const events: readonly SessionEvent[] = ends
    ? [added, { type: 'run-ended', reason: { type: 'done' } }]
    : [added];
  loop.adopt(events, yield { durable: true, events, lazily: !ends });
  if (ends) return { type: 'ended', reason: { type: 'done' }, state: loop.state };
  if (options.returnToolRequests === true) return { type: 'interrupted', interrupts: [], state: loop.state };
  return undefined;
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
