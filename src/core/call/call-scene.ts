import type { ToolRef } from '../ids.js';
import type { Message } from '../message/index.js';
import type { Sequence } from '../sequence.js';

/** The surroundings of a call, for its gate and its body. */
export interface CallScene {
  readonly ref: ToolRef;
  /** The session that runs; for `generate` the name of the conversation, `runId`. */
  readonly sessionId: string;
  /** The messages that the model was sent before it asked for the call. Grows with the run; copy what is kept. */
  readonly messages: Sequence<Message>;
  /** The `context` of whoever started this run: a user, a tenant. It is kept nowhere, and in no digest. */
  readonly context: unknown;
}
