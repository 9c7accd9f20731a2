import type {
  Clock,
  FinishReason,
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

/** The model, tools and messages of `generate`, and the answers that it goes on with. */
export interface GenerateRequest {
  readonly model: Model;
  /**
   * Names the conversation in idempotency keys: the same for every attempt at it, and for no other. Default: made of
   * the messages up to the last one of the user, so two conversations that begin alike need names of their own.
   */
  readonly runId?: string;
  readonly clock: Clock;
  /** The history, in Genkit's shape; never changed. Default: none. */
  readonly messages?: readonly TranscriptMessage[];
  /**
   * Added as a user message at the end; with `resume` behind the results of the calls that were answered, before the
   * model is asked again.
   */
  readonly prompt?: string;
  readonly system?: string;
  readonly tools?: ToolSet;
  /**
   * Handed to tools and their gates as `context`: who asks, a tenant, a connection. It need not be JSON, is kept nowhere
   * and is in no digest; a tool with a `context` schema says what must be in it. Default: `undefined`.
   */
  readonly context?: unknown;
  /**
   * Answers to the open interrupts of the last model message, as a list or in Genkit's three parts; all of them, or
   * nothing runs.
   */
  readonly resume?: Resume;
  /** Cancels every call that waits, so that the model is told and a prompt can follow. Default false. */
  readonly cancelOpen?: boolean;
  /**
   * Signs the messages that are handed out, and refuses others: for a history that a browser holds. A call, a question or
   * a result that was changed, moved, left out or made up is a BAD_TRANSCRIPT. Default: messages are taken at their word.
   */
  readonly signing?: Signing;
  /**
   * The form that the text of the last reply must have, asked of the model and checked: `output` of the response is its
   * value. A reply that was finished and does not have it is a BAD_OUTPUT error. Default: any text.
   */
  readonly output?: OutputForm;
  /** Rounds of tool calls; one more is an ABORTED error. Default 5. */
  readonly maxTurns?: number;
  /** Default `tell-model`; `throw` is Genkit's behaviour. */
  readonly onToolError?: OnToolError;
  readonly stopWhen?: (state: RunState) => string | undefined;
  readonly returnToolRequests?: boolean;
  /** Told of everything as it happens: durable events and text as it streams. */
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

/** The end of `generate`: messages, the last text, and the interrupts that wait. */
export interface GenerateResponse<Output = unknown> {
  /** The last model message, with interrupts and parked outputs where it waits. */
  readonly message: TranscriptMessage | undefined;
  /** Request and response messages: pass them back to go on. */
  readonly messages: readonly TranscriptMessage[];
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly finishMessage?: string;
  /** Open interrupts, in source order; empty unless `finishReason` is `interrupted`. */
  readonly interrupts: readonly Interrupt[];
  /** Every tool request of the last model message. */
  readonly toolRequests: readonly TranscriptPart[];
  /** Summed over the model calls of this `generate`. */
  readonly usage: Usage;
  /**
   * The `prompt` of a request with `resume` that was not said: a call asked again, or the run ended before the model was
   * asked. Give it with the next request.
   */
  readonly unsaid?: string;
  /** The value that the tool that ended the run returned; else that of the reply, where it had to fit a schema. */
  readonly output?: Output;
}

/**
 * Looks at everything of a request but the messages and the resume, which have readers of their own: a program that is
 * not compiled gives anything, and nothing may begin with it.
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

/** @throws HitlError BAD_INPUT for what cannot be asked anything. */
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
