import type * as z from 'zod/v4/core';

import type { JsonObject } from '../core/index.js';
import { isJsonObject, membersOf } from '../core/index.js';

/** The forms of late schemas as one JSON text, by their names. Written in by the build; absent when run from source. */
declare const HITL_FORMS: string | undefined;

/**
 * A schema of a tool of ours that is made when a value is checked first: most tools are never called, and making the
 * schemas of all of them takes as long as a whole command may. What a model is told of it the build knows already.
 */
export class LateSchema<Output, Input> {
  /** The schema in JSON Schema, where it is known. */
  readonly form: JsonObject | undefined;
  readonly #make: () => z.$ZodType<Output, Input>;
  #made: z.$ZodType<Output, Input> | undefined;

  constructor(form: JsonObject | undefined, make: () => z.$ZodType<Output, Input>) {
    this.form = form;
    this.#make = make;
  }

  /** The schema itself. */
  get type(): z.$ZodType<Output, Input> {
    return (this.#made ??= this.#make());
  }

  get _zod(): z.$ZodType<Output, Input>['_zod'] {
    return this.type._zod;
  }

  get '~standard'(): z.$ZodType<Output, Input>['~standard'] {
    return this.type['~standard'];
  }
}

/** Whether a schema is made late. */
export function isLate(schema: unknown): schema is LateSchema<unknown, unknown> {
  return schema instanceof LateSchema;
}

/** Makes a schema late; `name` is that of the tool and of the part: `read_file input`. */
export function late<Output, Input>(
  name: string,
  make: () => z.$ZodType<Output, Input>,
): z.$ZodType<Output, Input> {
  return new LateSchema(knownForm(name), make);
}

let read: JsonObject | undefined;

function knownForm(name: string): JsonObject | undefined {
  if (typeof HITL_FORMS !== 'string') return undefined;
  read ??= membersOf(JSON.parse(HITL_FORMS));
  const form = read[name];
  return isJsonObject(form) ? form : undefined;
}
