import type {
  Clock,
  InboxMessage,
  Interrupt,
  JsonObject,
  Model,
  NodePath,
  ReplySettings,
  ReviewerActor,
  RunInbox,
  RunState,
  SecretVault,
  SessionEvent,
  ToolSet,
  TransientEvent,
} from '../core/index.js';
import type { ContextRoom } from './limits.js';
import type { Limits } from './limits.js';
import type { InterruptMint } from './interrupts.js';

/**
 * Reaction to a tool that throws: send the error to the model (default), ask a person (an interrupt of kind
 * `error`), or fail the run after its siblings have settled.
 */
export type OnToolError = 'tell-model' | 'ask' | 'throw';

/** External messages and controls that a run checks between its turns. */
export interface Steering {
  readonly inbox: RunInbox;
  /** Path of the run, for messages that name a node. */
  readonly path: NodePath;
  /** Returns false for a message that is not for an agent between its turns, and waits. Default: all are for it. */
  readonly wants?: (message: InboxMessage) => boolean;
  /** Called with notices. */
  readonly notice?: (text: string) => void;
}

/** Model, tools, limits and clock of `run`. */
export interface RunOptions extends ReplySettings {
  readonly model: Model;
  readonly tools: ToolSet;
  readonly clock: Clock;
  /** Names the run in idempotency keys: the session's id. */
  readonly runId: string;
  /** Typed secrets, for bodies only. Default: none. */
  readonly vault?: SecretVault;
  /**
   * Stores a copy of a file before a tool changes it; returns false if there is no room. Default: nothing is stored.
   */
  readonly keepCopy?: (bytes: Uint8Array, sha256: string) => Promise<boolean>;
  /**
   * Whether a reviewer’s approval is in force. If not, the call does not start, and a person is asked. Default: none
   * is in force.
   */
  readonly reviewedBy?: (by: ReviewerActor, interrupt: Interrupt) => boolean;
  /** Creates the run's interrupts, if it is part of something larger. Default: numbers them itself. */
  readonly interrupts?: InterruptMint;
  /** Session id for tools and gates. Default: `runId`. */
  readonly sessionId?: string;
  /**
   * Passed to tools and gates unchanged: a user, a tenant. Not stored, and not part of any digest. Default:
   * `undefined`.
   */
  readonly context?: unknown;
  readonly system?: string;
  readonly limits?: Limits;
  readonly onToolError?: OnToolError;
  /** Ends the run after a tool round if it returns a reason. */
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly maxOutputTokens?: number;
  /** Output format requested from the model; not validated here. Default: any text. */
  readonly outputSchema?: JsonObject;
  /** Free context of the model, which may have changed. Default: not checked. */
  readonly room?: () => ContextRoom | undefined;
  /** Reads outside messages between turns. Default: none. */
  readonly steering?: Steering;
  /** Returns the model's tool requests instead of running them. Default: false. */
  readonly returnToolRequests?: boolean;
}

/** A run with a user message. */
export interface PromptedRun extends RunOptions {
  /** Sent before the first model request, after the results of waiting calls. Default: nothing. */
  readonly prompt?: string;
}

/**
 * An event of a run, in order. Make durable events durable before you advance the generator (law 2): the dependent
 * work happens after the `yield`.
 */
export type EngineEvent =
  | {
      readonly durable: true;
      readonly events: readonly SessionEvent[];
      /**
       * Nothing outside depends on these events before the next durable ones or the end of the run: they may
       * share that flush, and the generator may be advanced before. Default: false.
       */
      readonly lazily?: boolean;
    }
  | { readonly durable: false; readonly event: TransientEvent };
