import type { AnswerWay, Approvable, Deadline, InterruptKind, JsonObject, JsonValue } from '../core/index.js';
import { deadlineOf, HitlError, keptApprovers, present, timeoutProblem } from '../core/index.js';

import type { Schema } from './compile-schema.js';
import { defineTool } from './define-tool.js';
import type { DefinedTool } from './defined-tool.js';
import { checkWays } from './tool-ways.js';

/** The definition of a tool that only asks the user. Schemas are zod 4 schemas or JSON Schema objects. */
export interface InterruptDefinition<Input, Reply> extends Deadline, Approvable {
  /** Name of the tool; the same rules apply as for other tools. */
  readonly name: string;
  /** Description that tells the model when to use the tool. */
  readonly description: string;
  /** Schema for the input. Default: an object without properties. */
  readonly input?: Schema<Input>;
  /** Schema for the answer. Default: any JSON. */
  readonly output?: Schema<unknown, Reply>;
  /** Content shown to the user: a value, or a function of the validated input. Default: only the input. */
  readonly payload?: JsonValue | ((input: Input) => JsonValue | undefined | Promise<JsonValue | undefined>);
  /** Returns the JSON Schema for the answer, if it depends on the input. Default: the schema in `output`. */
  readonly answerSchema?: (input: Input) => JsonObject | undefined;
  /** Kind of interrupt. Default: `question`, which allows only respond and cancel. */
  readonly kind?: InterruptKind;
  /**
   * The allowed actions. For example, `['respond']` does not allow cancel. Default: all actions for the kind.
   */
  readonly allowed?: readonly AnswerWay[];
  /** The source of the tool, as displayed. Default: `library`. */
  readonly origin?: string;
}

/**
 * Creates a tool that only asks the user. Its output is the answer, and it cannot be restarted (case 61).
 * @throws HitlError BAD_CONFIG, as for `defineTool`.
 */
export function defineInterrupt<Input = JsonObject, Reply = JsonValue>(
  definition: InterruptDefinition<Input, Reply>,
): DefinedTool<Input, Reply> {
  const { name, description, input, output, origin, kind = 'question' } = definition;
  const { payload, answerSchema, allowed, timeout, expiresAt, onTimeout, approvalLasts } = definition;
  const people = keptApprovers(definition);
  checkWays(allowed, name);
  const deadline: Deadline = present({ timeout, expiresAt, onTimeout, approvalLasts });
  const tool = defineTool<Input, Reply>(
    {
      name,
      description,
      effect: 'none',
      ...present({ input, output, origin }),
    },
    async (given, context) => {
      const schema = answerSchema?.(given);
      const told = typeof payload === 'function' ? await payload(given) : payload;
      return context.interrupt(told, {
        kind,
        ...deadline,
        ...people,
        ...present({ answerSchema: schema, allowed }),
      });
    },
  );
  const schema = tool.outputSchema;
  // The schema of an answer that depends on the input is known when it is asked.
  const wrong =
    answerSchema === undefined
      ? timeoutProblem(
          { kind, ...people, ...(schema !== undefined && { answerSchema: schema }) },
          deadlineOf(deadline).onTimeout,
        )
      : undefined;
  if (wrong !== undefined) throw new HitlError('BAD_CONFIG', `tool \`${name}\`: ${wrong}`);
  return { ...tool, restartable: false };
}
