import { openInterrupts } from '../core/index.js';
import type {
  ErrorRecord,
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
  /** `transcriptMessages(state)`. */
  readonly messages: readonly TranscriptMessage[];
}

/** The object that `--output-format json` prints when a command ends; the keys stand in the order of its schema. */
export function resultOf({ session, state, status, error, messages }: ResultParts): ResultDocument {
  return {
    session,
    status,
    text: finalText(state),
    messages,
    interrupts: openInterrupts(state),
    usage: state.usage,
    costUsd: state.usage.costUsd ?? null,
    ...(error !== undefined && { error }),
    resume: `hitl resume ${session}`,
  };
}
