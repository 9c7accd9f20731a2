import type {
  Clock,
  InboxMessage,
  JsonObject,
  Model,
  NodePath,
  ReplySettings,
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
 * The reaction to a tool that throws: the model is told and may correct itself (default), a person is asked (an
 * interrupt of kind `error`), or the run fails once its siblings have settled.
 */
export type OnToolError = 'tell-model' | 'ask' | 'throw';

/** Words and verbs from outside that a run looks for between its turns. */
export interface Steering {
  readonly inbox: RunInbox;
  /** The place of the run, for messages that name a node. */
  readonly path: NodePath;
  /** False for a message that is not for an agent between its turns, and waits. Default: all are. */
  readonly wants?: (message: InboxMessage) => boolean;
  /** Told in the product's own words. */
  readonly notice?: (text: string) => void;
}

/** The model, tools, limits and time of `run`. */
export interface RunOptions extends ReplySettings {
  readonly model: Model;
  readonly tools: ToolSet;
  readonly clock: Clock;
  /** Names the run in idempotency keys: the session's id. */
  readonly runId: string;
  /** The secrets that people typed into fields: only bodies get them. Default: nothing was typed. */
  readonly vault?: SecretVault;
  /** Makes the run's interrupts, where it is a part of something larger. Default: numbers them for itself. */
  readonly interrupts?: InterruptMint;
  /** The session that tools and gates are told of. Default: `runId`. */
  readonly sessionId?: string;
  /** Handed to tools and gates as it is: a user, a tenant. Kept nowhere, and in no digest. Default: `undefined`. */
  readonly context?: unknown;
  readonly system?: string;
  readonly limits?: Limits;
  readonly onToolError?: OnToolError;
  /** Ends the run after a round of tools when it returns a text that says why. */
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly maxOutputTokens?: number;
  /** The form that the model is asked to give its text; nobody here checks it. Default: any text. */
  readonly outputSchema?: JsonObject;
  /** The room in the context of the model, which may be another one by now. Default: nobody looks at it. */
  readonly room?: () => ContextRoom | undefined;
  /** Takes what others send to the run between its turns. Default: nobody can. */
  readonly steering?: Steering;
  /** Hands the model's tool requests back instead of running them. Default false. */
  readonly returnToolRequests?: boolean;
}

/** A run that words of the user came with. */
export interface PromptedRun extends RunOptions {
  /** Said before the model is first asked, behind the results of calls that wait. Default: nothing. */
  readonly prompt?: string;
}

/**
 * An event of a run. Events come in order. Durable events must be durable before the generator is advanced (law 2): the
 * work that depends on them happens after the `yield`.
 */
export type EngineEvent =
  | {
      readonly durable: true;
      readonly events: readonly SessionEvent[];
      /**
       * Nothing outside depends on these before the next durable events, or the end of the run: they may be flushed with
       * those, and the generator advanced before. Default false.
       */
      readonly lazily?: boolean;
    }
  | { readonly durable: false; readonly event: TransientEvent };
