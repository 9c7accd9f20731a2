import type { SessionId } from '../ids.js';
import type { Session, SessionInit } from './session.js';

/** Where a session stands, as lists show it. */
export type SessionStatus = 'done' | 'waiting' | 'interrupted' | 'failed' | 'running' | 'unreadable';

/** A session, as lists show it. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly status: SessionStatus;
  /** Open interrupts. */
  readonly waiting: number;
  /** User messages. */
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Where sessions are kept. */
export interface SessionStore {
  create(init: SessionInit): Promise<Session>;
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  open(id: SessionId, mode: 'read' | 'write'): Promise<Session>;
  /** Newest first. */
  list(): AsyncIterable<SessionSummary>;
  remove(id: SessionId): Promise<void>;
}
