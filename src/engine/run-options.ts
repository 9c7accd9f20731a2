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
 * What to do if a tool throws: send the error to the model (default), ask a person with an interrupt of kind
 * `error`, or fail the run after the other calls of the round have settled.
 */
export type OnToolError = 'tell-model' | 'ask' | 'throw';

/** External messages and control messages that a run checks for between turns. */
export interface Steering {
  readonly inbox: RunInbox;
  /** The run's path, for messages addressed to a node. */
  readonly path: NodePath;
  /**
   * Selects the messages that an agent receives between turns. The others wait. By default, all are selected.
   */
  readonly wants?: (message: InboxMessage) => boolean;
  /** Called with notices. */
  readonly notice?: (text: string) => void;
}

/** The model, tools, limits and clock for `run`. */
export interface RunOptions extends ReplySettings {
  readonly model: Model;
  readonly tools: ToolSet;
  readonly clock: Clock;
  /** Identifies the run in idempotency keys. In a session, it is the session id. */
  readonly runId: string;
  /** Secrets that people typed, which only tools receive. Default: none. */
  readonly vault?: SecretVault;
  /**
   * Stores a copy of a file before a tool changes it. Returns false if there is not enough space. By default,
   * no copies are stored.
   */
  readonly keepCopy?: (bytes: Uint8Array, sha256: string) => Promise<boolean>;
  /**
   * Whether a reviewer's approval is in force. If not, the call does not start and a person is asked. By
   * default, no such approval is in force.
   */
  readonly reviewedBy?: (by: ReviewerActor, interrupt: Interrupt) => boolean;
  /**
   * Creates the interrupts of a run that is part of something larger. By default, the run numbers its own
   * interrupts.
   */
  readonly interrupts?: InterruptMint;
  /** Session id for tools and approval checks. Default: `runId`. */
  readonly sessionId?: string;
  /**
   * Value that is passed unchanged to tools and approval checks, such as a user or a tenant. It is not stored
   * and not part of any digest. Default: `undefined`.
   */
  readonly context?: unknown;
  readonly system?: string;
  readonly limits?: Limits;
  readonly onToolError?: OnToolError;
  /** Returns the reason to end the run after a tool round; `undefined` if it continues. */
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly maxOutputTokens?: number;
  /** Format of the output requested from the model. The reply is not validated. Default: any text. */
  readonly outputSchema?: JsonObject;
  /**
   * Returns the context limit of the model, which may change during the run. By default, the context size is
   * not checked.
   */
  readonly room?: () => ContextRoom | undefined;
  /** Source of external messages, which are read between turns. Default: none. */
  readonly steering?: Steering;
  /** Whether to return the model's tool requests instead of running them. Default: false. */
  readonly returnToolRequests?: boolean;
}

/** Options of a run that starts with a user message. */
export interface PromptedRun extends RunOptions {
  /**
   * The user message, which is added before the first request to the model, after the results of waiting
   * calls. Default: none.
   */
  readonly prompt?: string;
}

/**
 * Events of a run, in order. Store durable events before you advance the generator (law 2), because the work
 * that depends on them starts after the `yield`.
 */
export type EngineEvent =
  | {
      readonly durable: true;
      readonly events: readonly SessionEvent[];
      /**
       * Whether nothing outside the run depends on these events before the next durable ones or the end of
       * the run. If so, they may be stored together with those, and the generator may be advanced first.
       * Default: false.
       */
      readonly lazily?: boolean;
    }
  | { readonly durable: false; readonly event: TransientEvent };
