import type { SessionId } from '../data/ids.js';

/** An output of a tool that is kept beside a journal, under its name. */
export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A session as the very bytes that it is kept as. Answers and messages that wait for it are no part of it. */
export interface SessionCopy {
  readonly id: SessionId;
  /** The lines of its journal, each without its newline. */
  readonly lines: readonly Uint8Array[];
  readonly outputs: readonly KeptOutput[];
}

/** Hands sessions over to another store, byte for byte, and takes them from one. */
export interface SessionCopying {
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  give(id: SessionId): Promise<SessionCopy>;
  /**
   * Keeps a session under its own id; all of it is there when it resolves, or none. Every line is checked as one that
   * is read. In a store with a key nothing that was approved in the copy counts: it is asked again.
   * @throws HitlError SESSION_EXISTS, SESSION_DAMAGED, SESSION_NEWER, SAVE_FAILED
   */
  take(copy: SessionCopy): Promise<void>;
}
