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

/** The model, tools and messages for `generate`, and the answers to continue with. */
export interface GenerateRequest {
  readonly model: Model;
  /**
   * Identifies the conversation in idempotency keys. It must be the same for every attempt and otherwise
   * unique. By default, it is derived from the messages up to the last user message, so set it if several
   * conversations start the same way.
   */
  readonly runId?: string;
  readonly clock: Clock;
  /** The history in Genkit's format. It is not modified. Default: none. */
  readonly messages?: readonly TranscriptMessage[];
  /**
   * A user message to add at the end. With `resume`, it is added after the results of the answered calls and
   * before the next request to the model.
   */
  readonly prompt?: string;
  readonly system?: string;
  readonly tools?: ToolSet;
  /**
   * The `context` passed to tools and approval checks, such as a user, a tenant or a connection. It does not
   * need to be JSON, is not stored, and is not part of any digest. If a tool has a `context` schema, the
   * value is validated. Default: `undefined`.
   */
  readonly context?: unknown;
  /**
   * Answers to all open interrupts of the last model message, as a list or in Genkit's form with `respond`,
   * `restart` and `metadata`. If any answer is missing, nothing runs.
   */
  readonly resume?: Resume;
  /** Whether to cancel all waiting calls, so that a prompt can follow. Default: false. */
  readonly cancelOpen?: boolean;
  /**
   * Signs the returned messages and verifies them when they are passed back. Use it if the history is stored
   * in a browser. A call, question or result that was changed, moved, removed or made up is rejected with
   * BAD_TRANSCRIPT. By default, messages are trusted.
   */
  readonly signing?: Signing;
  /**
   * Format of the text in the last reply. It is requested from the model and validated. The `output` of the
   * response is the parsed value. A finished but invalid reply is rejected with BAD_OUTPUT. Default: any
   * text.
   */
  readonly output?: OutputForm;
  /**
   * Name of a reviewer, and the channel through which it answers questions before they are returned. If it
   * leaves any question open, its answers are ignored and all questions are returned. Default: none.
   */
  readonly reviewer?: { readonly name: string; readonly channel: HumanChannel };
  /**
   * Maximum number of tool rounds. If the model needs more, the request fails with TURN_LIMIT. Default: 5.
   */
  readonly maxTurns?: number;
  /** What to do if a tool fails. Default: `tell-model`. `throw` is Genkit's behavior. */
  readonly onToolError?: OnToolError;
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly returnToolRequests?: boolean;
  /** Called for every item of the stream: complete messages, interrupts and streamed text. */
  readonly onEvent?: (event: GenerateEvent) => void;
}

/** An item in the stream that `generate` returns. `chunk` is the index of the message: 0 for the model, 1 for the tools, 2 for the model. */
export type GenerateEvent =
  | {
      readonly type: 'chunk';
      readonly index: number;
      readonly role: 'model' | 'tool';
      readonly content: readonly TranscriptPart[];
    }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | TransientEvent;

/** The result of `generate`: the messages, the last text and the open interrupts. */
export interface GenerateResponse<Output = unknown> {
  /**
   * The last model message. If it is waiting, it includes the interrupts and the outputs of the finished
   * calls.
   */
  readonly message: TranscriptMessage | undefined;
  /** The messages of the request and the new ones. Pass them back to continue. */
  readonly messages: readonly TranscriptMessage[];
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly finishMessage?: string;
  /** Open interrupts in source order. Empty unless `finishReason` is `interrupted`. */
  readonly interrupts: readonly Interrupt[];
  /** All tool requests in the last model message. */
  readonly toolRequests: readonly TranscriptPart[];
  /** Total usage of the requests made to the model during this call. */
  readonly usage: Usage;
  /**
   * The `prompt` passed with `resume`, if it was not sent because a call asked again or the run ended first.
   * Pass it with the next request.
   */
  readonly unsaid?: string;
  /** Output of the tool that ended the run or, if a schema was requested, the value of the reply. */
  readonly output?: Output;
}

/**
 * Validates a request, because an untyped program may pass anything. `messages` and `resume` are not checked
 * here; they have their own parsers.
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

/**
 * Checks that a value is a model.
 * @throws HitlError BAD_INPUT if it is not.
 */
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
