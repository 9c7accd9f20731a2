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
  /** Valid for a model API (G19). Grows between requests: copy it to keep it. */
  readonly messages: Sequence<Message>;
  readonly tools: readonly ToolDescriptor[];
  readonly maxOutputTokens?: number;
  /** JSON Schema of the reply text. The caller validates the reply, because not every provider enforces schemas. */
  readonly outputSchema?: JsonObject;
  /** Name of the one tool that the reply must call. The caller validates the reply, because not every provider does. */
  readonly mustCall?: string;
  /** Minimum time for the provider to cache the request. Default: the provider's. */
  readonly cacheFor?: 'hour';
  /** Which attempt at this reply it is, from 1: an earlier one may have reached the model. Default: unknown. */
  readonly attempt?: number;
}

/** A complete model reply; exists only if its stream ended properly (G20). */
export interface ModelReply {
  /** Contains tool requests only with `end: 'tool-use'`. */
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  /** With `end: 'refusal'`, if the provider gives details. */
  readonly refusal?: Refusal;
  readonly usage?: Usage;
}

/** An event of a model's stream; the last one is `reply`, exactly once. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A tool input is being written; it must not be shown for approval yet. */
  | { readonly type: 'tool-input-delta'; readonly name: string; readonly characters: number }
  /** The provider called one of its own tools, which hitl neither runs nor asks about. */
  | ({ readonly type: 'provider-call' } & ProviderCall)
  /** A provider call returned its result. */
  | ({ readonly type: 'provider-result' } & ProviderResult)
  /** The provider failed; the request is repeated after a pause. */
  | { readonly type: 'retrying'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** The reply starts again; discard the streamed part. */
  | { readonly type: 'restarted' }
  | { readonly type: 'reply'; readonly reply: ModelReply };

/** A model that handles one request at a time. */
export interface Model {
  /** The spec, as in `--model`: `anthropic:<model>`, `demo`, `script:<file>`. */
  readonly id: string;
  /**
   * Requests one reply.
   * @throws HitlError MODEL_FAILED with status, request id and a hint.
   */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Counts the tokens of a request, at no cost; `undefined` if the provider cannot. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}
