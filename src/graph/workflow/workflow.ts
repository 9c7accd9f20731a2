import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import { graph } from '../define-graph.js';
import type { CodeOperations, NodeOptions } from '../graph-definition.js';
import { Context } from './context.js';
import type { TypedSchema } from './typed-schema.js';
import { parsed } from './typed-schema.js';
import type { Workflow, WorkflowContext } from './workflow-context.js';

/** The settings of a workflow. */
export interface WorkflowOptions<Input> extends Pick<NodeOptions, 'gate' | 'onError' | 'steer'> {
  /** The schema of what it is given. Default: any JSON. */
  readonly input?: TypedSchema<Input>;
}

/** The code of a workflow. */
export type WorkflowCode<Input, Output> = (
  context: WorkflowContext,
  input: Input,
) => Output | Promise<Output>;

/**
 * Makes a workflow of an async function: what it does by its context is kept, so that it goes on after a person answered,
 * after a crash and on another machine where it was. It is a graph of one node, and runs wherever a graph does. It is
 * given the key `input` of the first state, or the whole of it where there is none.
 * @throws HitlError BAD_GRAPH for a name that cannot name a node.
 */
export function workflow<Output>(
  name: string,
  code: WorkflowCode<JsonValue, Output>,
): Workflow<JsonValue, Output>;
export function workflow<Input, Output>(
  name: string,
  options: WorkflowOptions<Input>,
  code: WorkflowCode<NoInfer<Input>, Output>,
): Workflow<Input, Output>;
export function workflow(
  name: string,
  ...rest:
    | [code: WorkflowCode<JsonValue, unknown>]
    | [options: WorkflowOptions<unknown>, code: WorkflowCode<unknown, unknown>]
): Workflow<unknown, unknown> {
  if (rest.length === 1) return made(name, {}, (context, input) => rest[0](context, input));
  const [{ input: schema, ...options }, code] = rest;
  return made(name, options, async (context, input) =>
    code(context, schema === undefined ? input : await checkedInput(name, schema, input)),
  );
}

function made(
  name: string,
  options: Omit<WorkflowOptions<unknown>, 'input'>,
  code: (context: WorkflowContext, input: JsonValue) => unknown,
): Workflow<unknown, unknown> {
  const node = {
    ...options,
    kind: 'workflow',
    code: async (operations: CodeOperations, input: JsonValue) =>
      code(new Context<JsonObject>(operations), input),
  } as const;
  return graph(name).node(name, node).end(name).build();
}

/** @throws HitlError BAD_STATE for what the schema does not take. */
async function checkedInput(name: string, schema: TypedSchema<unknown>, input: JsonValue): Promise<unknown> {
  const result = await parsed(schema, input);
  if (result.ok) return result.value;
  throw new HitlError('BAD_STATE', `the input of \`${name}\` does not fit: ${result.why}`);
}
