import type { OutputForm, Part, Session, SessionEvent, SessionStore } from '../../src/core/index.js';
import type { GraphStart } from '../../src/graph/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { Entrance } from '../seat/first-prompt.js';

/** Everything needed to run a session, including its agent and options. */
export interface SessionRun {
  readonly store: SessionStore;
  readonly session: Session;
  /** The agent. If it has a workflow, the workflow runs instead of a chat. */
  readonly agent: Agent;
  readonly mode: Mode;
  /** Required format of the reply. If set, only the reply is printed. */
  readonly output?: OutputForm;
  /** Text of the first user turn. */
  readonly prompt?: string;
  /** Attachments of the first user turn. */
  readonly attached?: readonly Part[];
  /** Events to write before the first event of this run. They are not written if nothing happens. */
  readonly before?: readonly SessionEvent[];
  /** Inputs for starting a new workflow. */
  readonly start?: GraphStart;
  /** Lines to show first. */
  readonly notices: readonly string[];
  /**
   * The prompt and the signal handling that were set up early, if the user is already at the first prompt.
   */
  readonly entrance?: Entrance;
}
