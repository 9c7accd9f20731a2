import type { Model } from '../core/index.js';
import type { OfferedModel } from './anthropic/list-models.js';

/** A model created from a spec. */
export interface CreatedModel extends Model, Partial<AsyncDisposable> {
  /**
   * For a script: checks that all replies have been used. Call it at the end of a session.
   * @throws HitlError BAD_SCRIPT with the unused lines.
   */
  assertAllUsed?(): void;
  /** Whether the price of the model is known. If it is not, cost limits cannot be applied. Default: true. */
  readonly isPriced?: boolean;
  /**
   * Lists the models of the server. Absent if the server does not support this.
   * @throws HitlError MODEL_FAILED
   */
  listModels?(signal: AbortSignal): Promise<readonly OfferedModel[]>;
  /** Whether the provider can run tools of its own. Default: false. */
  readonly hasProviderTools?: boolean;
  /** Whether the model may accept images and PDFs. False if it accepts only text. Default: true. */
  readonly takesMedia?: boolean;
  /** Whether the provider supports effort and thinking. Default: true. */
  readonly takesEffort?: boolean;
  /** Maximum number of tokens in a request and its reply combined. Absent if unknown. */
  readonly contextTokens?: number;
  /**
   * Given a number of tools, returns how many of them the model receives in full. The model searches for the
   * others. Default: all.
   */
  readonly toolsInFull?: (tools: number) => number;
  /** For a replay: the ID of the recorded model. The replay requires that model's tools. */
  readonly recordedFrom?: string;
}
