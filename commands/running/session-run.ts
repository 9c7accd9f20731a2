import type { OutputForm, Part, Session, SessionEvent, SessionStore, ToolSet } from '../../src/core/index.js';
import type { Graph, GraphStart, GraphSteering } from '../../src/graph/index.js';
import type { ChangingModel, RulesInForce } from '../agent/index.js';

import type { RunServers } from '../mcp/index.js';
import type { Mode } from '../flags/index.js';
import type { Entrance } from '../seat/index.js';

/** A run: what is run, in which session. */
export interface SessionRun {
  readonly store: SessionStore;
  readonly session: Session;
  readonly model: ChangingModel;
  readonly tools: ToolSet;
  readonly rules: RulesInForce;
  /** The servers whose tools are among them. */
  readonly servers: RunServers;
  readonly mode: Mode;
  /** The form that the reply must have, which is then printed alone. */
  readonly output?: OutputForm;
  /** The first user turn. */
  readonly prompt?: string;
  /** Goes with the first user turn. */
  readonly attached?: readonly Part[];
  /** Goes before the first event of this run; nothing is written where nothing happens. */
  readonly before?: readonly SessionEvent[];
  /** The workflow that runs in place of a chat. */
  readonly flow?: {
    readonly graph: Graph;
    readonly start?: GraphStart;
    /** The reader of messages that name no action. Default: they are guidance. */
    readonly reason?: NonNullable<GraphSteering['reason']>;
  };
  /** Lines to say before anything else. */
  readonly notices: readonly string[];
  /** The entrance of a person who is at the first prompt already. */
  readonly entrance?: Entrance;
}
