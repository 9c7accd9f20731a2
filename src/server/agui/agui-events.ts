import type { Interrupt, JsonObject, LiveEvent, Message, RunResult, RunState } from '../../core/index.js';
import { emptyState, textOf, toolRequestsOf } from '../../core/index.js';
import { askedRows, oneLineOf, questionView } from '../../human/index.js';

/** An AG-UI event with its type and data. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The IDs that a client uses for a run. */
export interface RunNames {
  readonly threadId: string;
  readonly runId: string;
}

/**
 * Converts an event to AG-UI events. Messages and calls are converted once durable. `state` is the state of a
 * stopped session; it is used to show the session's questions in full.
 */
export function agUiEvents(event: LiveEvent, names: RunNames, state = emptyState()): readonly AgUiEvent[] {
  if (event.type === 'message-added')
    return event.message.role === 'model' ? messageEvents(event.message, `m${event.seq}`) : [];
  if (event.type === 'tool-settled') {
    const { ref, outcome } = event;
    const content = outcome.type === 'error' ? outcome.message : textFrom(outcome.output);
    return [{ type: 'TOOL_CALL_RESULT', messageId: `r${event.seq}`, toolCallId: ref, content, role: 'tool' }];
  }
  if (event.type === 'rested')
    return [{ type: 'RUN_FINISHED', ...names, outcome: outcomeOf(event.result, state) }];
  return []; // a client has no word for it
}

function messageEvents(message: Message, messageId: string): readonly AgUiEvent[] {
  const text = textOf(message);
  const said =
    text === ''
      ? []
      : [
          { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
          { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text },
          { type: 'TEXT_MESSAGE_END', messageId },
        ];
  const calls = toolRequestsOf(message).flatMap(({ ref: toolCallId, name, input }) => [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId: messageId },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) },
    { type: 'TOOL_CALL_END', toolCallId },
  ]);
  return [...said, ...calls];
}

function textFrom(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function outcomeOf(result: RunResult, state: RunState): JsonObject {
  if (result.type !== 'waiting') return { type: 'success' };
  return { type: 'interrupt', interrupts: result.open.map((one) => interruptOf(one, state)) };
}

/**
 * Converts a question for a client. The client's answer must contain the digest of the question that the
 * client showed.
 */
export function interruptOf(interrupt: Interrupt, state: RunState): JsonObject {
  const { id, kind, source, digest, expiresAt, allowed } = interrupt;
  const answer = { description: 'a line such as "y", a resolution, or, for a question, the answer itself' };
  return {
    id,
    reason: kind,
    message: oneLineOf(interrupt),
    ...(source.type === 'tool' && { toolCallId: source.ref }),
    ...(expiresAt !== undefined && { expiresAt }),
    responseSchema: {
      type: 'object',
      properties: { digest: { const: digest }, answer },
      required: ['digest', 'answer'],
    },
    metadata: {
      digest,
      // A client that offers a yes shows these rows above it.
      shown: [...askedRows(questionView(interrupt, state, { limits: null }))],
      allowed,
      ...(source.type === 'tool' && { tool: source.name, input: source.input }),
    },
  };
}
