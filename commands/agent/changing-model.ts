import type { ModelRequest, ReplySettings } from '../../src/core/index.js';
import type { CreatedModel } from '../../src/models/index.js';

/**
 * The model of a session, which the user can replace. Requests that are already running finish with the
 * previous model.
 */
export class ChangingModel implements CreatedModel {
  #model: CreatedModel;
  #settings: ReplySettings = {};
  /** Previous models, which are disposed of together with this one. */
  readonly #former: CreatedModel[] = [];

  constructor(model: CreatedModel) {
    this.#model = model;
  }

  get id(): string {
    return this.#model.id;
  }

  get isPriced(): boolean {
    return this.#model.isPriced ?? true;
  }

  /** The active model. */
  get current(): CreatedModel {
    return this.#model;
  }

  /** Uses these settings from the next request on. */
  choose(settings: ReplySettings): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  change(model: CreatedModel): void {
    this.#former.push(this.#model);
    this.#model = model;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const model of [...this.#former, this.#model]) await model[Symbol.asyncDispose]?.();
  }

  /** Counts tokens with the current model. Returns `undefined` if the model cannot count them. */
  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
    return this.#model.countTokens?.({ ...request, ...this.#settings }, signal);
  }

  assertAllUsed(): void {
    this.#model.assertAllUsed?.();
  }

  generate(request: ModelRequest, signal: AbortSignal): ReturnType<CreatedModel['generate']> {
    return this.#model.generate({ ...request, ...this.#settings }, signal);
  }
}
