import type { SessionId } from '../ids.js';
import type { Interrupt } from '../interrupt.js';
import type { Vote } from '../people/index.js';

/** An open interrupt of some session. Its id is unique in its session only: outside it is named by both. */
export interface WaitingItem {
  readonly session: SessionId;
  readonly title: string;
  readonly interrupt: Interrupt;
  /** The votes that stand, where it needs more than one. */
  readonly votes?: readonly Vote[];
}
