import type { InterruptOptions, ToolContext } from '../core/index.js';
import { CallBase, HitlError } from '../core/index.js';

import type * as z from 'zod/v4/core';

import type { CompiledSchema } from './compile-schema.js';
import { fittingContext } from './request-context.js';
import type { TypedToolContext } from './defined-tool.js';
import { toJson } from './to-json.js';
import type { ToolSchemas } from './tool-schemas.js';
import { checkNow, parseResumedNow } from './tool-schemas.js';

/** The name of a tool, and its schema for the request context. */
interface Naming {
  readonly name: string;
  readonly context: z.$ZodType | undefined;
}

/**
 * A tool context that validates values with the schemas of the tool. Its methods do not use `this`, because
 * bodies may destructure the context.
 */
export class CheckedContext extends CallBase implements TypedToolContext<unknown, unknown, unknown> {
  declare readonly resumed?: unknown;
  declare readonly originalInput?: unknown;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  declare readonly askAtOnce?: NonNullable<ToolContext['askAtOnce']>;
  declare readonly noteFile?: NonNullable<ToolContext['noteFile']>;
  readonly progress: (text: string) => void;
  readonly interrupt: (payload?: unknown, options?: InterruptOptions) => never;

  /** @throws HitlError TOOL_INPUT if the resume value is invalid. */
  constructor(context: ToolContext, schemas: ToolSchemas, { name, context: schema }: Naming) {
    const { resumed, originalInput, approved, askAtOnce, noteFile, sessionId, messages } = context;
    const given = fittingContext(schema, context.context, name);
    super({ sessionId, messages, context: given }, context, context);
    if (resumed !== undefined) this.resumed = readResumed(resumed, schemas.resume, name);
    if (originalInput !== undefined) this.originalInput = readOriginal(originalInput, schemas.input);
    if (approved !== undefined) this.approved = approved;
    if (askAtOnce !== undefined) this.askAtOnce = askAtOnce;
    if (noteFile !== undefined) this.noteFile = noteFile;
    this.progress = (text) => {
      context.progress(text);
    };
    this.interrupt = (payload, options) => {
      if (payload === undefined && schemas.interrupt === undefined)
        return context.interrupt(undefined, options);
      checkNow(schemas.interrupt, payload, `the interrupt payload of \`${name}\``);
      return context.interrupt(toJson(payload, `the interrupt payload of \`${name}\``), options);
    };
  }
}

/**
 * Returns the resume value as parsed. It was already validated with the answer, unless the context was not
 * created by hitl.
 */
function readResumed(resumed: unknown, schema: CompiledSchema<unknown> | undefined, name: string): unknown {
  const parsed = schema === undefined ? undefined : parseResumedNow(schema, resumed);
  if (parsed === undefined) return resumed;
  if (parsed.ok) return parsed.value;
  const { issues } = parsed;
  throw new HitlError(
    'TOOL_INPUT',
    `the value passed with the approval is invalid for \`${name}\`: ${issues.join('; ')}`,
    {
      hint: 'restart it with `metadata` that matches the resume schema',
      detail: { issues },
    },
  );
}

/** Returns the original input as parsed. If the input from the model was invalid, returns it unchanged. */
function readOriginal(original: unknown, schema: CompiledSchema<unknown>): unknown {
  const parsed = schema.parseNow(original);
  return parsed?.ok === true ? parsed.value : original;
}
