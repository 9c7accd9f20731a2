import { openInterrupts, present, withoutKept } from '../core/index.js';
import type {
  ErrorRecord,
  JsonValue,
  LastReply,
  ResultDocument,
  ResultStatus,
  RunState,
  SessionId,
  TranscriptMessage,
} from '../core/index.js';
import { finalText } from './reply-text.js';

export interface ResultParts {
  readonly session: SessionId;
  readonly state: RunState;
  readonly status: ResultStatus;
  readonly error?: ErrorRecord;
  readonly output?: JsonValue;
  /** `transcriptMessages(state)`. */
  readonly messages: readonly TranscriptMessage[];
}

/**
 * Returns the object that `--output-format json` prints when a command ends, with its keys in schema order.
 */
export function resultOf({ session, state, status, error, output, messages }: ResultParts): ResultDocument {
  const end = lastReply(state);
  return {
    session,
    status,
    text: finalText(state),
    ...present({ output, end }),
    messages,
    interrupts: openInterrupts(state).map(withoutKept),
    usage: state.usage,
    costUsd: state.usage.costUsd ?? null,
    ...(error !== undefined && { error }),
    resume: `hitl resume ${session}`,
  };
}

/**
 * Returns the reason that the last reply ended, with any refusal; `undefined` if other messages follow it.
 */
function lastReply({ entries, open }: RunState): LastReply | undefined {
  const { end, refusal } = open ?? entries.at(-1) ?? {};
  return end === undefined ? undefined : { reason: end, ...refusal };
}
