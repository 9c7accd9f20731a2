import type { ModelRequest, ReplySettings } from '../../src/core/index.js';
import type { CreatedModel } from '../../src/models/index.js';

/** A session's model that the user may replace; running requests finish with the previous one. */
export class ChangingModel implements CreatedModel {
  #model: CreatedModel;
  #settings: ReplySettings = {};
  /** Those of before, which are disposed of with it. */
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

  /** Returns the active model's counter; other models may not count. */
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
