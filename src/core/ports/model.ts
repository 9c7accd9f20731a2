import type { ToolDescriptor } from '../question/agent.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Message, Part } from '../data/message.js';
import type { ProviderResult } from '../data/provider-call.js';
import type { Refusal, ReplyEnd, Usage } from '../data/finish-reason.js';
import type { ReplySettings } from '../data/reply-settings.js';
import type { Sequence } from '../data/sequence.js';

/** A request to a model. */
export interface ModelRequest extends ReplySettings {
  readonly system?: string;
  /** Valid for a model API by construction (G19). Grows between requests; do not keep it, or copy it. */
  readonly messages: Sequence<Message>;
  readonly tools: readonly ToolDescriptor[];
  readonly maxOutputTokens?: number;
  /** The text of the reply has to be JSON that fits this. Whoever asked checks it: not every model can be held to it. */
  readonly outputSchema?: JsonObject;
  /** The least time for which a provider's cache is asked to keep what was sent. Default: as it does by itself. */
  readonly cacheFor?: 'hour';
}

/** A model's whole reply; it exists only when its stream ended properly (G20). */
export interface ModelReply {
  /** Tool requests are present only under `end: 'tool-use'`. */
  readonly content: readonly Part[];
  readonly end: ReplyEnd;
  /** Under `end: 'refusal'`, where the provider says more. */
  readonly refusal?: Refusal;
  readonly usage?: Usage;
}

/** An event of a model's stream; the last one is `reply`, exactly once. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A tool input is being written; nothing of it may be shown for approval yet. */
  | { readonly type: 'tool-input-delta'; readonly name: string; readonly characters: number }
  /** A tool of the provider's own was called; nobody here runs it or is asked about it. */
  | { readonly type: 'provider-call'; readonly name: string; readonly input: JsonValue }
  /** Such a call came back. */
  | ({ readonly type: 'provider-result' } & ProviderResult)
  /** The provider failed and is asked again after a pause. */
  | { readonly type: 'retrying'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** The reply starts again: what was streamed so far does not count. */
  | { readonly type: 'restarted' }
  | { readonly type: 'reply'; readonly reply: ModelReply };

/** A model that answers one request at a time. */
export interface Model {
  /** `anthropic:<model>`, `demo`, `script:<file>`: what `--model` takes. */
  readonly id: string;
  /**
   * Asks for one reply.
   * @throws HitlError MODEL_FAILED with status, request id and what to do in its detail and hint.
   */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Counts the tokens of a request without asking for a reply; nothing where that cannot be known now. Costs nothing. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}
