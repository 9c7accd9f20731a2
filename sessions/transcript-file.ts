import type { RunState, Session, TranscriptDocument, TranscriptInterrupt } from '../src/core/index.js';
import { openInterrupts, sessionTitle, transcriptMessages } from '../src/core/index.js';
import { documentPieces } from './format/json-pieces.js';
import { restingStatus } from './format/summary.js';

/** The session properties that a transcript needs. */
export type SessionFacts = Pick<Session, 'id' | 'state' | 'createdAt' | 'updatedAt'>;

function interruptsOf(state: RunState): readonly TranscriptInterrupt[] {
  const answered = state.resolved.toArray().map(({ interrupt, resolution, by, resolvedAt, votes }) => ({
    ...interrupt,
    resolution,
    by,
    ...(resolvedAt !== undefined && { resolvedAt }),
    ...(votes !== undefined && { votes }),
  }));
  return [...answered, ...openInterrupts(state)];
}

/** Returns a session's transcript. */
export function transcriptDocument(session: SessionFacts): TranscriptDocument {
  const { id, state, createdAt, updatedAt } = session;
  const { agent, parent, usage } = state;
  return {
    format: 'hitl-transcript',
    version: 1,
    id,
    title: sessionTitle(state),
    createdAt,
    updatedAt,
    ...(agent !== undefined && { agent }),
    status: restingStatus(state),
    messages: transcriptMessages(state),
    interrupts: interruptsOf(state),
    usage,
    ...(parent !== undefined && { parent }),
  };
}

/** Returns the content of a session's transcript file. */
export function transcriptText(session: SessionFacts): string {
  return `${JSON.stringify(transcriptDocument(session), null, 2)}\n`;
}

/** Like `transcriptText`, but yields the bytes in pieces. */
export function* transcriptPieces(session: SessionFacts): Generator<Buffer> {
  yield* documentPieces(transcriptDocument(session));
  yield Buffer.from('\n');
}
