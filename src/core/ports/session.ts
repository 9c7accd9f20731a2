import type { AgentFingerprint } from '../agent.js';
import type { SessionEvent, SessionParent, StoredEvent } from '../event.js';
import type { SessionId } from '../ids.js';
import type { RunState } from '../state.js';

/** What a session begins with. */
export interface SessionInit {
  readonly agent: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  /** Default: a new, sortable id. */
  readonly id?: SessionId;
}

/** How events are appended. */
export interface AppendOptions {
  /**
   * The flush waits for the next append that wants one, and at most for the end of this turn of the event loop:
   * what becomes due together shares one. The events are written at once all the same. Default false.
   */
  readonly lazily?: boolean;
}

/** Where events are kept. */
export interface Journal {
  /** Resolves when the events are durable; in order, all or a prefix of them. */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
}

/** An open session. A writer holds its lock until it is disposed of. */
export interface Session extends Journal, AsyncDisposable {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  /** The sequence number of the last event that was appended; it may not be durable yet. */
  readonly version: number;
  /** The fold of everything appended; what could not be made durable is taken back. */
  readonly state: RunState;
  /** What opening it had to mend or to say: a torn tail that was cut, a moved mode. */
  readonly notices: readonly string[];
  events(): AsyncIterable<StoredEvent>;
  /** Writes the transcript for people and other programs; called wherever a run stops. Absent where there is none. */
  saveTranscript?(): Promise<void>;
}
