import type { JsonObject, Message, ModelReply, RunState, SessionEvent } from '../core/index.js';
import { emptyState, evolve, HitlError, isJsonObject, messageOf } from '../core/index.js';
import type { RecordedReply, Recording } from './recorded.js';

/**
 * Returns the event in a line. A `stream-json` line without a sequence number is transient and is ignored.
 */
function eventOf(line: JsonObject): JsonObject | undefined {
  if (isJsonObject(line['event'])) return line['event'];
  return typeof line['seq'] === 'number' ? line : undefined;
}

/**
 * Whether the value is a session event. Checking `type` is enough, because the fold rejects invalid events,
 * and a replay does not need the events that the fold ignores.
 */
function isSessionEvent(value: JsonObject | undefined): value is JsonObject & SessionEvent {
  return typeof value?.['type'] === 'string';
}

function replyOf(message: Message, event: SessionEvent & { readonly type: 'message-added' }): ModelReply {
  const hasTools = message.content.some(({ type }) => type === 'tool-request');
  const end = event.end ?? (hasTools ? 'tool-use' : 'stop');
  return { content: message.content, end, ...(event.usage !== undefined && { usage: event.usage }) };
}

function badLine(file: string, line: number, cause: unknown): HitlError {
  return new HitlError('BAD_TRANSCRIPT', `${file}:${line}: ${messageOf(cause)}`, {
    hint: 'a recording is a transcript document or an event journal (JSON Lines)',
    cause,
  });
}

/**
 * Reads a journal, or the output of `show --events`, as a recording. The request for each reply is
 * reconstructed by folding the events before it.
 * @throws HitlError BAD_TRANSCRIPT with file and line.
 */
export function readJournal(text: string, file: string): Recording {
  const replies: RecordedReply[] = [];
  let state: RunState = emptyState();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const json: unknown = JSON.parse(line);
      const event = isJsonObject(json) ? eventOf(json) : undefined;
      if (!isSessionEvent(event)) continue;
      if (event.type === 'message-added' && event.message.role === 'model') {
        replies.push({ messages: state.view, reply: replyOf(event.message, event) });
      }
      state = evolve(state, event);
    } catch (cause) {
      throw badLine(file, index + 1, cause);
    }
  }
  const { agent } = state;
  if (agent === undefined) return { replies };
  const { model, system } = agent;
  const tools = agent.tools.map(({ name }) => name);
  return { replies, agent: { model, tools, ...(system !== undefined && { system }) } };
}
