import type {
  Message,
  ModelReply,
  ModelRequest,
  Part,
  RunState,
  SessionEvent,
  TransientEvent,
} from '../core/index.js';
import { HitlError, toolRef } from '../core/index.js';
import type { EngineEvent, RunOptions } from './run-options.js';

/** One model call, from request to whole reply; text streams by as transient events. */
export async function* runModel(
  state: RunState,
  options: RunOptions,
  partial: PartialText,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, ModelReply> {
  const { model, tools, system, maxOutputTokens } = options;
  const request: ModelRequest = {
    messages: state.view,
    tools: tools.descriptors,
    ...(system !== undefined && { system }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
  let reply: ModelReply | undefined;
  for await (const event of model.generate(request, signal)) {
    if (event.type === 'reply') reply = event.reply;
    else yield transient(event, partial);
  }
  signal.throwIfAborted();
  if (reply === undefined) {
    throw new HitlError('MODEL_FAILED', `model \`${model.id}\` ended its stream without a reply`, {
      hint: 'try again; if it happens each time, the server does not speak the protocol',
    });
  }
  return reply;
}

/** The text of a reply that has not ended; it is never history (G20). */
export class PartialText {
  #text = '';

  add(event: TransientEvent): void {
    if (event.type === 'text-delta') this.#text += event.text;
    if (event.type === 'restarted') this.#text = '';
  }

  get text(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }
}

function transient(event: TransientEvent, partial: PartialText): EngineEvent {
  partial.add(event);
  return { durable: false, event };
}

/** The event that makes a reply history, with refs that are unique in the session. */
export function replyEvent(reply: ModelReply, state: RunState): SessionEvent & { type: 'message-added' } {
  const { usage, end } = reply;
  const content = end === 'tool-use' ? reply.content : reply.content.map(cutShort);
  const message: Message = { role: 'model', content: uniqueRefs(content, state) };
  return { type: 'message-added', message, end, ...(usage !== undefined && { usage }) };
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
