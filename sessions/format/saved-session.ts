import type { Session } from '../../src/core/index.js';

/** A session with the times that its records tell. */
export interface SavedSession extends Session {
  /** ISO 8601: when the first record was written. */
  readonly createdAt: string;
  /** ISO 8601: when the last durable record was written. */
  readonly updatedAt: string;
}
