import type {
  AgentFingerprint,
  Interrupt,
  ResolvedInterrupt,
  RunState,
  SessionId,
  SessionParent,
  TranscriptMessage,
  Usage,
} from '../src/core/index.js';
import { openInterrupts, transcriptMessages } from '../src/core/index.js';
import type { SavedSession } from './saved-session.js';
import type { RestingStatus } from './summary.js';
import { restingStatus, titleOf } from './summary.js';

/** An interrupt with what was decided about it, where something was. */
export interface TranscriptInterrupt
  extends Interrupt, Partial<Pick<ResolvedInterrupt, 'resolution' | 'by' | 'resolvedAt'>> {}

/** A session for people and other programs. Its keys stand in this order. */
export interface TranscriptDocument {
  readonly format: 'hitl-transcript';
  readonly version: 1;
  readonly id: SessionId;
  readonly title: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Absent where a session never had one. */
  readonly agent?: AgentFingerprint;
  readonly status: RestingStatus;
  readonly messages: readonly TranscriptMessage[];
  /** First the answered ones, in the order of the answers, then the open ones. */
  readonly interrupts: readonly TranscriptInterrupt[];
  readonly usage: Usage;
  readonly parent?: SessionParent;
}

function interruptsOf(state: RunState): readonly TranscriptInterrupt[] {
  const answered = state.resolved.toArray().map(({ interrupt, resolution, by, resolvedAt }) => ({
    ...interrupt,
    resolution,
    by,
    ...(resolvedAt !== undefined && { resolvedAt }),
  }));
  return [...answered, ...openInterrupts(state)];
}

/** The transcript of a session. */
export function transcriptDocument(session: SavedSession): TranscriptDocument {
  const { id, state, createdAt, updatedAt } = session;
  const { agent, parent, usage } = state;
  return {
    format: 'hitl-transcript',
    version: 1,
    id,
    title: titleOf(state),
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

/** A transcript as the bytes of its file. */
export function transcriptText(session: SavedSession): string {
  return `${JSON.stringify(transcriptDocument(session), null, 2)}\n`;
}
