import type { OutputForm, Part, Session, SessionEvent, SessionStore } from '../../src/core/index.js';
import type { GraphStart } from '../../src/graph/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { Entrance } from '../seat/first-prompt.js';

/** What to run, and in which session. */
export interface SessionRun {
  readonly store: SessionStore;
  readonly session: Session;
  /** The agent. If it has a workflow, that runs instead of a chat. */
  readonly agent: Agent;
  readonly mode: Mode;
  /** Required form of the reply, which is then printed alone. */
  readonly output?: OutputForm;
  /** The first user turn. */
  readonly prompt?: string;
  /** Goes with the first user turn. */
  readonly attached?: readonly Part[];
  /** Written before the first event of this run; nothing is written if nothing happens. */
  readonly before?: readonly SessionEvent[];
  /** Start of a new workflow. */
  readonly start?: GraphStart;
  /** Lines to show first. */
  readonly notices: readonly string[];
  /** The state of a user who is already at the first prompt. */
  readonly entrance?: Entrance;
}
