import type { Message, Model, ModelEvent, ModelReply, ModelRequest, Sequence } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { firstDifference } from './request-difference.js';
import { replyCount } from './request-facts.js';
import { streamReply } from './stream-reply.js';

/** A reply in a saved session, with the messages of its request. */
export interface RecordedReply {
  readonly messages: Sequence<Message>;
  readonly reply: ModelReply;
}

/** The agent recorded in a saved session. */
interface RecordedAgent {
  /** ID of the model that generated the replies. */
  readonly model?: string;
  readonly system?: string;
  readonly tools: readonly string[];
}

/** A saved session as the model sees it. */
export interface Recording {
  /** Replies in session order. The messages of each request start with those of the previous request. */
  readonly replies: readonly RecordedReply[];
  /** The session's agent, if recorded. If set, requests are compared with it. */
  readonly agent?: RecordedAgent;
}

function differs(position: number, where: string): HitlError {
  return new HitlError('REPLAY_DIFFERS', `request ${position} differs from the recording: ${where}`, {
    hint: 'a replay only answers recorded requests; use the same input, answers and tool results',
  });
}

function agentDifference(recording: Recording, { system, tools }: ModelRequest): string | undefined {
  if (recording.agent === undefined) return undefined;
  const recorded = recording.agent;
  if (recorded.system !== system) return 'the system prompt is different';
  const now = tools.map(({ name }) => name);
  const gone = recorded.tools.filter((name) => !now.includes(name));
  const added = now.filter((name) => !recorded.tools.includes(name));
  if (gone.length === 0 && added.length === 0) return undefined;
  return `the tools differ: ${[...gone.map((name) => `\`${name}\` is gone`), ...added.map((name) => `\`${name}\` was added`)].join(', ')}`;
}

/**
 * Groups replies by the number of model messages in their request. Two replies can have the same number,
 * because an empty reply leaves no message. The index of a reply cannot be used instead, because an imported
 * history contains model messages that are not recorded replies.
 */
function positions(replies: readonly RecordedReply[]): ReadonlyMap<number, readonly RecordedReply[]> {
  const found = new Map<number, RecordedReply[]>();
  let read = 0;
  let position = 0;
  for (const recorded of replies) {
    const { messages } = recorded;
    for (; read < messages.length; read += 1) if (messages.at(read)?.role === 'model') position += 1;
    found.set(position, [...(found.get(position) ?? []), recorded]);
  }
  return found;
}

/** A model that plays back a recording. */
export interface RecordedModel extends Model {
  /** ID of the recorded model, if known. */
  readonly recordedFrom?: string;
}

/**
 * Creates a model that repeats the replies of a saved session. Each request must match the recorded one.
 * @throws HitlError REPLAY_DIFFERS while generating a reply; the error states the first difference.
 */
export function recordedModel(recording: Recording, id = 'replay'): RecordedModel {
  const byPosition = positions(recording.replies);
  const played = new Set<RecordedReply>();

  /**
   * Returns the first matching reply that has not been played, or the last one if all have been. Two replies
   * match the same request if the first one left no message.
   */
  function choose(fitting: readonly RecordedReply[]): RecordedReply | undefined {
    const chosen = fitting.find((candidate) => !played.has(candidate)) ?? fitting.at(-1);
    if (chosen !== undefined) played.add(chosen);
    return chosen;
  }

  function find(request: ModelRequest): ModelReply {
    const count = replyCount(request.messages);
    const other = agentDifference(recording, request);
    if (other !== undefined) throw differs(count + 1, other);
    let where = `the recording ends after ${recording.replies.length} replies`;
    const fitting = (byPosition.get(count) ?? []).filter(({ messages }) => {
      const difference = firstDifference(messages, request.messages);
      where = difference ?? where;
      return difference === undefined;
    });
    const chosen = choose(fitting);
    if (chosen !== undefined) return chosen.reply;
    throw differs(count + 1, where);
  }

  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    yield* streamReply(find(request), undefined, signal);
  }
  const model = recording.agent?.model;
  return { id, generate, ...(model !== undefined && { recordedFrom: model }) };
}
