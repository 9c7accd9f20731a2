import type { Model } from '../core/index.js';
import type { OfferedModel } from './anthropic/list-models.js';

/** A model created from a spec. */
export interface CreatedModel extends Model, Partial<AsyncDisposable> {
  /**
   * For a script: checks that every reply was used. Call it at the end of a session.
   * @throws HitlError BAD_SCRIPT that names the unused lines.
   */
  assertAllUsed?(): void;
  /** False if the model's price is unknown, so that a cost limit cannot work. */
  readonly isPriced?: boolean;
  /**
   * Lists the server's models, if it can.
   * @throws HitlError MODEL_FAILED
   */
  listModels?(signal: AbortSignal): Promise<readonly OfferedModel[]>;
  /** Whether its provider runs tools itself. Default: no. */
  readonly hasProviderTools?: boolean;
  /** False if the model reads text only. Default: it may accept images and PDFs. */
  readonly takesMedia?: boolean;
  /** False if its provider does not support effort and thinking. Default: it does. */
  readonly takesEffort?: boolean;
  /** Tokens of a request with its reply; absent if unknown. */
  readonly contextTokens?: number;
  /** Returns how many of this many tools it gets in full; it searches the rest. Default: all. */
  readonly toolsInFull?: (tools: number) => number;
  /** For a replay: id of the recorded model, whose tools it needs. */
  readonly recordedFrom?: string;
}
