import type { ModelRequest, ReplySettings } from '../../src/core/index.js';
import type { CreatedModel } from '../../src/models/index.js';

/** The model of a session in which a person may choose another one; what is on its way goes on with the former. */
export class ChangingModel implements CreatedModel {
  #model: CreatedModel;
  #settings: ReplySettings = {};

  constructor(model: CreatedModel) {
    this.#model = model;
  }

  get id(): string {
    return this.#model.id;
  }

  get isPriced(): boolean {
    return this.#model.isPriced ?? true;
  }

  /** Of the model that answers now. */
  get current(): CreatedModel {
    return this.#model;
  }

  /** From the next request on these count in place of those of the run. */
  choose(settings: ReplySettings): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  change(model: CreatedModel): void {
    this.#model = model;
  }

  /** Of the model that answers now: another one may count, or not. */
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
