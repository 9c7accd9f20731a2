import type { ChatOptions } from '../../library/index.js';

/** The agent that a server runs: what it is made of is said where the server is made, and never by a request. */
export interface ServedAgent extends Pick<ChatOptions, 'model' | 'tools' | 'system' | 'limits'> {
  /** The number of sessions that run at the same time; who would begin another one is told to come again. Default: 32. */
  readonly slots?: number;
}

/** The number of sessions that run at the same time, where nothing is said. */
export const SLOTS = 32;
