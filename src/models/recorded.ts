import type { Message, Model, ModelEvent, ModelReply, ModelRequest, Sequence } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { firstDifference } from './request-difference.js';
import { replyCount } from './request-facts.js';
import { streamReply } from './stream-reply.js';

/** A saved session's reply, and its request. */
export interface RecordedReply {
  readonly messages: Sequence<Message>;
  readonly reply: ModelReply;
}

/** The agent of a saved session. */
interface RecordedAgent {
  /** The id of the model whose replies these are. */
  readonly model?: string;
  readonly system?: string;
  readonly tools: readonly string[];
}

/** A saved session as a model sees it. */
export interface Recording {
  /** In session order: each request's messages start with those of the one before. */
  readonly replies: readonly RecordedReply[];
  /** Compared if the recording names the session's agent. */
  readonly agent?: RecordedAgent;
}

function differs(position: number, where: string): HitlError {
  return new HitlError('REPLAY_DIFFERS', `request ${position} differs from the recording: ${where}`, {
    hint: 'a replay only answers what was asked then: same input, same answers, same tool results',
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
 * Groups replies by the number of replies in their request. An empty reply leaves no message, so two can have
 * one number; an imported history has messages that are not recorded replies.
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

/** A model that plays a recording. */
export interface RecordedModel extends Model {
  /** Id of the recorded model, if known. */
  readonly recordedFrom?: string;
}

/**
 * Creates a model that repeats a saved session's replies, as long as the requests match the recorded ones.
 * @throws HitlError REPLAY_DIFFERS while generating, with the first difference.
 */
export function recordedModel(recording: Recording, id = 'replay'): RecordedModel {
  const byPosition = positions(recording.replies);
  const played = new Set<RecordedReply>();

  /** A repeated request has two replies if the first left no message; then each is used once. */
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
