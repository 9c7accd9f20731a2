import type { OutputForm, Part, Session, SessionEvent, SessionStore } from '../../src/core/index.js';
import type { GraphStart } from '../../src/graph/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { Entrance } from '../seat/first-prompt.js';

/** A run: what is run, in which session. */
export interface SessionRun {
  readonly store: SessionStore;
  readonly session: Session;
  /** Works in it. Where it has a workflow, that runs in place of a chat. */
  readonly agent: Agent;
  readonly mode: Mode;
  /** The form that the reply must have, which is then printed alone. */
  readonly output?: OutputForm;
  /** The first user turn. */
  readonly prompt?: string;
  /** Goes with the first user turn. */
  readonly attached?: readonly Part[];
  /** Goes before the first event of this run; nothing is written where nothing happens. */
  readonly before?: readonly SessionEvent[];
  /** The start of a workflow that has not begun. */
  readonly start?: GraphStart;
  /** Lines to say before anything else. */
  readonly notices: readonly string[];
  /** The entrance of a person who is at the first prompt already. */
  readonly entrance?: Entrance;
}
