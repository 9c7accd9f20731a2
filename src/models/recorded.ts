import type { Message, Model, ModelEvent, ModelReply, ModelRequest, Sequence } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { firstDifference } from './request-difference.js';
import { replyCount } from './request-facts.js';
import { streamReply } from './stream-reply.js';

/** A reply of a saved session, and what the model had been sent before it. */
export interface RecordedReply {
  readonly messages: Sequence<Message>;
  readonly reply: ModelReply;
}

/** A saved session as a model sees it. */
export interface Recording {
  readonly replies: readonly RecordedReply[];
  /** Compared where the recording says whom the session was with. */
  readonly agent?: { readonly system?: string; readonly tools: readonly string[] };
}

function differs(position: number, where: string): HitlError {
  return new HitlError('REPLAY_DIFFERS', `request ${position} differs from the recording: ${where}`, {
    hint: 'a replay answers only what was asked then: same input, same answers, same results of tools',
  });
}

function agentDifference(recording: Recording, { system, tools }: ModelRequest): string | undefined {
  if (recording.agent === undefined) return undefined;
  const recorded = recording.agent;
  if (recorded.system !== system) return 'the system prompt is another one';
  const now = tools.map(({ name }) => name);
  const gone = recorded.tools.filter((name) => !now.includes(name));
  const added = now.filter((name) => !recorded.tools.includes(name));
  if (gone.length === 0 && added.length === 0) return undefined;
  return `the tools differ: ${[...gone.map((name) => `\`${name}\` is gone`), ...added.map((name) => `\`${name}\` was added`)].join(', ')}`;
}

/** Replies by the number of replies that their request holds; one without content leaves no message, and so no number. */
function positions(replies: readonly RecordedReply[]): ReadonlyMap<number, readonly RecordedReply[]> {
  const found = new Map<number, RecordedReply[]>();
  let position = 0;
  for (const recorded of replies) {
    found.set(position, [...(found.get(position) ?? []), recorded]);
    if (recorded.reply.content.length > 0) position += 1;
  }
  return found;
}

/**
 * A model that answers as a saved session did: the n-th reply to the n-th request, for as long as the requests are
 * those that were recorded.
 * @throws HitlError REPLAY_DIFFERS while generating, naming where the first request differs.
 */
export function recordedModel(recording: Recording, id = 'replay'): Model {
  const byPosition = positions(recording.replies);

  function find(request: ModelRequest): ModelReply {
    const count = replyCount(request.messages);
    const other = agentDifference(recording, request);
    if (other !== undefined) throw differs(count + 1, other);
    let where = `the recording ends after ${recording.replies.length} replies`;
    for (const candidate of byPosition.get(count) ?? []) {
      const difference = firstDifference(candidate.messages, request.messages);
      if (difference === undefined) return candidate.reply;
      where = difference;
    }
    throw differs(count + 1, where);
  }

  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    yield* streamReply(find(request), undefined, signal);
  }
  return { id, generate };
}
