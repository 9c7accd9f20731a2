import type { HitlErrorCode, JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject } from '../../core/index.js';
import type { CodeOperations } from '../definition/graph-definition.js';
import { checkJson } from '../state/check-state.js';
import type { TypedSchema } from '../definition/node-schema.js';
import { parsed } from '../definition/node-schema.js';

/** Any JSON object. */
export const ANY_STATE: TypedSchema<JsonObject> = {
  '~standard': {
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'it is not an object' }] }),
  },
};

/** The public state of workflow code: the changes made by its operations, in order. */
export class LiveState<State> {
  readonly #schema: TypedSchema<State>;
  #value: State;

  private constructor(schema: TypedSchema<State>, value: State) {
    this.#schema = schema;
    this.#value = value;
  }

  /**
   * Creates the state from a checkpoint and the schema's defaults. @throws HitlError BAD_STATE for an invalid
   * state.
   */
  static async from<State>(
    schema: TypedSchema<State>,
    { journal: { current } }: CodeOperations,
  ): Promise<LiveState<State>> {
    const kept = current.checkpoint?.values ?? {};
    return new LiveState(schema, await checked('the first state', schema, kept));
  }

  get value(): State {
    return this.#value;
  }

  /** Changes properties as one operation. @throws HitlError BAD_STATE for an invalid result. */
  async put(operations: CodeOperations, patch: Partial<State>): Promise<void> {
    const chosen = operations.choose({ kind: 'state', name: 'state' });
    if (chosen.known === undefined) {
      const next = await this.#with(patch);
      await chosen.keep(checkJson(patch, 'the state update', { node: 'state' }));
      this.#value = next;
    } else this.#value = await this.#with(chosen.known);
  }

  #with(patch: unknown): Promise<State> {
    return checked('the state update', this.#schema, Object.assign({}, this.#value, patch));
  }
}

/**
 * Returns a value parsed by a schema.
 * @throws HitlError with this code if the value does not match the schema.
 */
export async function checked<Value>(
  what: string,
  schema: TypedSchema<Value>,
  value: unknown,
  code: HitlErrorCode = 'BAD_STATE',
): Promise<Value> {
  const result = await parsed(schema, value);
  if (result.ok) return result.value;
  throw new HitlError(code, `${what} is invalid: ${result.why}`);
}

/** Emits data once, so that a replay does not repeat it. */
export async function emitted(operations: CodeOperations, data: JsonValue, keeps: boolean): Promise<void> {
  const value = checkJson(data, 'what is emitted', { node: 'emit' });
  if (!keeps) {
    if (!operations.journal.isReplaying) await operations.emit(value);
    return;
  }
  const chosen = operations.choose({ kind: 'value', name: 'emit' });
  if (chosen.known !== undefined) return;
  await operations.emit(value);
  await chosen.keep(value);
}
