import { invariant } from '../data/assert.js';
import type { Call } from './call.js';
import type { ToolRef } from '../data/ids.js';
import type { JsonValue } from '../data/json.js';
import type { Message, Part, ToolResponsePart } from '../data/message.js';
import { textPart } from '../data/message.js';
import type { OpenTurn, RunState } from './state.js';

function responseOf({ request: { ref, name }, state }: Call): ToolResponsePart {
  invariant(state.status === 'settled', `call \`${ref}\` is still ${state.status} at the end of its turn`);
  const { outcome } = state;
  if (outcome.type === 'error')
    return { type: 'tool-response', ref, name, output: outcome.message, isError: true };
  const { output, content, metadata } = outcome;
  return {
    type: 'tool-response',
    ref,
    name,
    output,
    ...(content && { content }),
    ...(metadata && { metadata }),
  };
}

/**
 * Creates the message that answers a model message. It has one response per call, in the order of the calls
 * (law 4).
 */
export function toolMessage(calls: readonly Call[]): Message {
  return { role: 'tool', content: calls.map(responseOf) };
}

/**
 * Creates a user message from the notes that people added to their approvals; `undefined` if there are none.
 * It follows the results. If there are several calls, each note says which call it is about.
 */
export function notesMessage(calls: readonly Call[]): Message | undefined {
  const content = calls.flatMap(({ notes = [], request }, index) => {
    const about =
      calls.length > 1 ? `About the call to ${request.name} (${index + 1} of ${calls.length}): ` : '';
    return notes.map((note) => textPart(`${about}${note}`));
  });
  return content.length === 0 ? undefined : { role: 'user', content };
}

/**
 * Returns the calls whose results are at the end of the history. Notes on their approvals may follow the
 * results.
 */
export function lastCalls({ entries }: Pick<RunState, 'entries'>): readonly Call[] | undefined {
  const [before, last] = [entries.at(-2), entries.at(-1)];
  if (last?.message.role === 'tool') return before?.calls;
  if (last?.message.role !== 'user' || before?.message.role !== 'tool') return undefined;
  const calls = entries.at(-3)?.calls;
  return calls?.some(({ notes }) => notes !== undefined) === true ? calls : undefined;
}

/**
 * Returns a model's message in the form that is sent back to the model: edited inputs replace the original
 * ones.
 */
export function viewOf(turn: OpenTurn): Message {
  const edited = new Map<ToolRef, JsonValue>();
  for (const { request, input, originalInput } of turn.calls)
    if (originalInput !== undefined) edited.set(request.ref, input);
  if (edited.size === 0) return turn.message;
  const content = turn.message.content.map((part): Part => {
    const input = part.type === 'tool-request' ? edited.get(part.ref) : undefined;
    return part.type === 'tool-request' && input !== undefined ? { ...part, input } : part;
  });
  return { ...turn.message, content };
}
