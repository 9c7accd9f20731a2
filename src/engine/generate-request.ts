import type {
  Clock,
  FinishReason,
  HumanChannel,
  Interrupt,
  Model,
  OutputForm,
  RunState,
  ToolSet,
  TranscriptMessage,
  TranscriptPart,
  TransientEvent,
  Usage,
} from '../core/index.js';
import { HitlError } from '../core/index.js';
import { checkContext } from './check-tools.js';
import { checkLimits } from './limits.js';
import type { Resume } from './read-resume.js';
import type { OnToolError } from './run-options.js';
import type { Signing } from './signing.js';

/** Model, tools and messages of `generate`, and answers to continue with. */
export interface GenerateRequest {
  readonly model: Model;
  /**
   * Names the conversation in idempotency keys: the same for every attempt, unique otherwise. Default:
   * derived from the messages up to the last user message, so name conversations that start alike.
   */
  readonly runId?: string;
  readonly clock: Clock;
  /** The history in Genkit's shape, not changed. Default: none. */
  readonly messages?: readonly TranscriptMessage[];
  /**
   * A user message added at the end; with `resume`, after the results of the answered calls, before the next model
   * request.
   */
  readonly prompt?: string;
  readonly system?: string;
  readonly tools?: ToolSet;
  /**
   * Passed to tools and gates as `context`: a user, a tenant, a connection. Need not be JSON, is not stored, and is
   * not part of any digest; a tool's `context` schema validates it. Default: `undefined`.
   */
  readonly context?: unknown;
  /**
   * Answers to all open interrupts of the last model message, as a list or in Genkit's three parts. If one is
   * missing, nothing runs.
   */
  readonly resume?: Resume;
  /** Cancels every waiting call, so that a prompt can follow. Default false. */
  readonly cancelOpen?: boolean;
  /**
   * Signs returned messages and refuses others, for a history in a browser. A changed, moved, removed or invented
   * call, question or result is BAD_TRANSCRIPT. Default: messages are trusted.
   */
  readonly signing?: Signing;
  /**
   * Format of the last reply's text, requested from the model and validated; the response's `output` is its value. A
   * finished but invalid reply is BAD_OUTPUT. Default: any text.
   */
  readonly output?: OutputForm;
  /**
   * A reviewer of this name, whose channel answers questions before they are returned. If it leaves any open, all of
   * them are returned and its answers do not count. Default: none.
   */
  readonly reviewer?: { readonly name: string; readonly channel: HumanChannel };
  /** Maximum tool rounds; one more fails with TURN_LIMIT. Default 5. */
  readonly maxTurns?: number;
  /** Default: `tell-model`; `throw` is Genkit's behaviour. */
  readonly onToolError?: OnToolError;
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly returnToolRequests?: boolean;
  /** Called with every event: durable ones, and streamed text. */
  readonly onEvent?: (event: GenerateEvent) => void;
}

/** An item of the stream of `generate`. `chunk` counts messages: model 0, tool 1, model 2. */
export type GenerateEvent =
  | {
      readonly type: 'chunk';
      readonly index: number;
      readonly role: 'model' | 'tool';
      readonly content: readonly TranscriptPart[];
    }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | TransientEvent;

/** The result of `generate`: messages, the last text, and open interrupts. */
export interface GenerateResponse<Output = unknown> {
  /** The last model message, with interrupts and parked outputs if it waits. */
  readonly message: TranscriptMessage | undefined;
  /** Request and response messages; pass them back to continue. */
  readonly messages: readonly TranscriptMessage[];
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly finishMessage?: string;
  /** Open interrupts in source order; empty unless `finishReason` is `interrupted`. */
  readonly interrupts: readonly Interrupt[];
  /** All tool requests of the last model message. */
  readonly toolRequests: readonly TranscriptPart[];
  /** Total of this call's model requests. */
  readonly usage: Usage;
  /**
   * The `prompt` next to `resume` that was not sent, because a call asked again or the run ended first. Pass it with
   * the next request.
   */
  readonly unsaid?: string;
  /** The output of the tool that ended the run; otherwise of the reply, if it had a schema. */
  readonly output?: Output;
}

/**
 * Validates a request except messages and resume, which have their own parsers: an untyped program may pass
 * anything.
 * @throws HitlError BAD_INPUT, BAD_CONFIG
 */
export function checkRequest(request: GenerateRequest): void {
  const { model, messages = [], prompt, resume, system, maxTurns, tools = NO_TOOLS, context } = request;
  checkModel(model);
  checkText(prompt, 'prompt');
  checkText(system, 'system');
  checkLimits({ maxTurns });
  checkContext(tools, context);
  if (prompt !== undefined || resume !== undefined || !isEmptyList(messages)) return;
  throw new HitlError('BAD_INPUT', 'missing `prompt` or `messages`', {
    hint: 'pass a `prompt`, the `messages` of a conversation, or both',
  });
}

/** @throws HitlError BAD_INPUT for an invalid model. */
export function checkModel(model: unknown): void {
  const isModel = typeof model === 'object' && model !== null && 'generate' in model;
  if (isModel && typeof model.generate === 'function') return;
  throw new HitlError('BAD_INPUT', '`model` is not a valid model', {
    hint: 'pass the result of `createModel`, or an object with `id` and `generate`',
  });
}

function checkText(value: unknown, name: string): void {
  if (value === undefined || typeof value === 'string') return;
  throw new HitlError('BAD_INPUT', `\`${name}\` must be a string`);
}

function isEmptyList(messages: unknown): boolean {
  return Array.isArray(messages) && messages.length === 0;
}

/** A tool set without tools. */
export const NO_TOOLS: ToolSet = {
  get: () => undefined,
  descriptors: [],
  [Symbol.iterator]: () => [].values(),
};
