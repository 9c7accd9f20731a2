import type { ToolDescriptor } from '../question/agent.js';
import type { JsonObject } from '../data/json.js';
import type { Message, Part } from '../data/message.js';
import type { ProviderCall, ProviderResult } from '../data/provider-call.js';
import type { Refusal, ReplyEnd, Usage } from '../data/finish-reason.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { Sequence } from '../data/sequence.js';

/** A request to a model. */
export interface ModelRequest extends ReplySettings {
  readonly system?: string;
  /**
   * Valid messages for a model API (G19). The sequence grows between requests, so copy it if you need to keep
   * it.
   */
  readonly messages: Sequence<Message>;
  readonly tools: readonly ToolDescriptor[];
  readonly maxOutputTokens?: number;
  /** JSON Schema of the reply text. The caller validates the reply, because not every provider enforces schemas. */
  readonly outputSchema?: JsonObject;
  /**
   * Name of the one tool that the reply must call. The caller validates the reply, because not every provider
   * enforces this.
   */
  readonly mustCall?: string;
  /** Minimum time for which the provider should cache the request. Default: the provider's own. */
  readonly cacheFor?: 'hour';
  /**
   * Number of the attempt to get this reply, counted from 1. An earlier attempt may have reached the model.
   * Default: unknown.
   */
  readonly attempt?: number;
}

/** A complete model reply. Created only if its stream ended properly (G20). */
export interface ModelReply {
  /** Parts of the reply. They include tool requests only with `end: 'tool-use'`. */
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  /** Details of a refusal. Set with `end: 'refusal'` if the provider gives them. */
  readonly refusal?: Refusal;
  readonly usage?: Usage;
}

/** An event in a model's stream. The last one is always `reply`, which occurs exactly once. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** The model is writing a tool input, which must not be shown for approval yet. */
  | { readonly type: 'tool-input-delta'; readonly name: string; readonly characters: number }
  /** The provider called one of its own tools. hitl does not run such calls or ask about them. */
  | ({ readonly type: 'provider-call' } & ProviderCall)
  /** A call to a provider tool returned its result. */
  | ({ readonly type: 'provider-result' } & ProviderResult)
  /** The provider failed. The request is repeated after a pause. */
  | { readonly type: 'retrying'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** The reply starts from the beginning. Discard the part that was streamed so far. */
  | { readonly type: 'restarted' }
  | { readonly type: 'reply'; readonly reply: ModelReply };

/** A model that handles one request at a time. */
export interface Model {
  /** The model's spec, as passed to `--model`: `anthropic:<model>`, `demo`, `script:<file>`. */
  readonly id: string;
  /**
   * Requests one reply.
   * @throws HitlError MODEL_FAILED with status, request id and a hint.
   */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Counts the tokens in a request, free of charge; `undefined` if the provider does not support this. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}
