import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonArray, isJsonObject } from '../../core/index.js';

/** The things that a run of a workflow should have done; an absent one is not looked at. */
export interface Expectations {
  /** Every node that counts, in the order in which they ran. */
  readonly path?: readonly string[];
  /** Keys of the final state, with their values; others may be there too. */
  readonly state?: JsonObject;
}

/**
 * Reads expectations as people write them; `$schema` is for their editor.
 * @throws HitlError BAD_INPUT naming what is wrong.
 */
export function readExpectations(value: JsonValue): Expectations {
  if (!isJsonObject(value)) return refuse('they are no object');
  const { $schema: _forEditors, path, state, ...others } = value;
  const [stray] = Object.keys(others);
  if (stray !== undefined) return refuse(`\`${stray}\` is none of them`);
  return {
    ...(path !== undefined && { path: readNames(path) }),
    ...(state !== undefined && { state: isJsonObject(state) ? state : refuse('`state` is no object') }),
  };
}

function readNames(value: JsonValue): readonly string[] {
  const isList = isJsonArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value : refuse('`path` is no list of names');
}

function refuse(why: string): never {
  throw new HitlError('BAD_INPUT', `the expectations cannot be read: ${why}`, {
    hint: 'an object with any of: path, state',
  });
}
