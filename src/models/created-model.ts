import type { Model } from '../core/index.js';
import type { OfferedModel } from './anthropic/list-models.js';

/** A model as its spec made it. */
export interface CreatedModel extends Model {
  /**
   * On a script: checks that every reply was played. For the end of a session, not for one that waits.
   * @throws HitlError BAD_SCRIPT naming the lines that were not.
   */
  assertAllUsed?(): void;
  /** False where the price of the model is not known, so that no limit of cost can hold. */
  readonly isPriced?: boolean;
  /**
   * Lists the models of the server, where it has a list.
   * @throws HitlError MODEL_FAILED
   */
  listModels?(signal: AbortSignal): Promise<readonly OfferedModel[]>;
  /** True where its provider has tools that it runs by itself. Default: it has none. */
  readonly hasProviderTools?: boolean;
  /** False where the model reads text only. Default: it may take images and PDFs. */
  readonly takesMedia?: boolean;
  /** False where its provider has no words for effort and thinking. Default: it has. */
  readonly takesEffort?: boolean;
  /** Tokens that fit into a request and its reply; absent where that is not known. */
  readonly contextTokens?: number;
  /** The number of so many tools that it is sent in full; it searches the rest. Default: all. */
  readonly toolsInFull?: (tools: number) => number;
  /** On a replay: the id of the model that was recorded, whose tools the replay needs. */
  readonly recordedFrom?: string;
}
