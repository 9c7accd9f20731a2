import type { JsonObject, JsonValue, OptionRows, OptionTable } from '../../core/index.js';
import {
  checkOptions,
  FUNCTION,
  HitlError,
  LIST,
  members,
  messageOf,
  NUMBER,
  OBJECT,
  oneOf,
  present,
  required,
  SCHEMA,
  TEXT,
} from '../../core/index.js';
import { CHECK_GATES, codeGraph, undeclared } from '../definition/define-graph.js';
import type { CodeOperations, NodeOptions, WorkflowNode } from '../definition/graph-definition.js';
import type { TypedSchema } from '../definition/node-schema.js';
import type { Workflow, WorkflowContext } from './workflow-context.js';
import { ANY_STATE, checked, LiveState } from './live-state.js';
import { Context } from './typed-operations.js';

/** Options for a workflow. */
export interface WorkflowOptions<Input, State = JsonObject> extends Pick<
  NodeOptions,
  'gate' | 'onError' | 'steer'
> {
  /** Schema of the input. Default: any JSON value. */
  readonly input?: TypedSchema<Input>;
  /** Schema of `ctx.state`, with a default for each property. Default: any JSON object, initially empty. */
  readonly state?: TypedSchema<State>;
  /**
   * Version of the code, stored with each run: an integer above 0. Increase it for changes that must not
   * apply to running sessions. Such sessions are refused until a person migrates them (`hitl migrate`).
   * Default: 1.
   */
  readonly version?: number;
  /** Other versions whose runs this code can continue. Default: none. */
  readonly accepts?: readonly number[];
  /**
   * The names of all steps, tools, agents and calls. No other operations can start, and a gate with any other
   * name is rejected before anything runs. Default: unknown. In that case, each operation that has an effect
   * asks before it starts, until every gate has matched an operation.
   */
  readonly operations?: readonly string[];
  /**
   * Steps, tools, agents and calls to stop before: `{ deploy: 'before' }`, or `deploy#2` for only one
   * occurrence.
   */
  readonly gates?: Readonly<Record<string, 'before'>>;
}

/** A workflow's function. */
export type WorkflowCode<Input, Output, State = JsonObject> = (
  context: WorkflowContext<State>,
  input: Input,
) => Output | Promise<Output>;

/**
 * Creates a workflow from an async function. Everything done through its context is journaled, so the
 * workflow can continue after an answer, after a crash, or on another machine. The workflow is a graph with a
 * single node. Its input is the `input` key of the initial state, or the whole state.
 * @throws HitlError BAD_GRAPH for an invalid name.
 */
export function workflow<Output>(
  name: string,
  code: WorkflowCode<JsonValue, Output>,
): Workflow<JsonValue, Output>;
export function workflow<Input, Output, State = JsonObject>(
  name: string,
  options: WorkflowOptions<Input, State>,
  code: WorkflowCode<NoInfer<Input>, Output, NoInfer<State>>,
): Workflow<Input, Output>;
export function workflow(
  name: string,
  ...rest:
    | [code: WorkflowCode<JsonValue, unknown>]
    | [options: WorkflowOptions<unknown, unknown>, code: WorkflowCode<unknown, unknown, unknown>]
): Workflow<unknown, unknown> {
  checkOptions('`workflow`', callOf(name, rest), WORKFLOW_CALL, 'BAD_GRAPH');
  if (rest.length === 1)
    return made(name, {}, async (operations, input) =>
      rest[0](new Context(operations, await LiveState.from(ANY_STATE, operations)), input),
    );
  const [{ input: schema, state, ...options }, code] = rest;
  const given = async (input: JsonValue): Promise<unknown> =>
    schema === undefined ? input : await checked(`the input of \`${name}\``, schema, input);
  const takes = async (input: JsonValue): Promise<void> => {
    await given(input).catch((thrown: unknown) => {
      throw new HitlError('BAD_INPUT', messageOf(thrown), { cause: thrown, hint: WHERE_INPUT_IS });
    });
  };
  return made(name, { ...options, takes }, async (operations, input) => {
    const live = await LiveState.from<unknown>(state ?? ANY_STATE, operations);
    return code(new Context<unknown>(operations, live), await given(input));
  });
}

const WORKFLOW_ROWS: OptionTable<WorkflowOptions<unknown>> = {
  gate: OBJECT,
  onError: oneOf('fail', 'ask', 'continue'),
  steer: OBJECT,
  input: SCHEMA,
  state: SCHEMA,
  version: NUMBER,
  accepts: LIST,
  gates: OBJECT,
  operations: LIST,
};
const WORKFLOW_CALL: OptionRows = {
  name: required(TEXT),
  options: members(WORKFLOW_ROWS),
  code: required(FUNCTION),
};

/** Returns the arguments of `workflow` by name, no matter which optional arguments were passed. */
function callOf(name: unknown, [first, second]: readonly unknown[]): Readonly<Record<string, unknown>> {
  return typeof first === 'function' ? { name, code: first } : { name, options: first, code: second };
}

/** Validates gates for JavaScript callers, because an invalid gate would never stop the run. */
function checkGates(
  name: string,
  { gates = {}, operations }: Pick<WorkflowOptions<unknown>, 'gates' | 'operations'>,
): void {
  const unknown = operations === undefined ? [] : undeclared(Object.keys(gates), operations);
  if (unknown.length > 0)
    throw new HitlError('BAD_GRAPH', `${unknown.join('; ')}, in workflow \`${name}\``, { hint: CHECK_GATES });
  for (const [operation, when] of Object.entries<unknown>(gates))
    if (when !== 'before')
      throw new HitlError(
        'BAD_GRAPH',
        `the gate of \`${operation}\` in workflow \`${name}\` must be 'before'`,
        {
          hint: 'for a question with a time limit, put `await ctx.ask(…, { timeout })` before it',
        },
      );
}

const WHERE_INPUT_IS =
  'the input is the `input` key of the initial state, or the whole state if it has no such key';

function made(
  name: string,
  options: Omit<WorkflowOptions<unknown>, 'input' | 'state'> & Pick<WorkflowNode, 'takes'>,
  code: (operations: CodeOperations, input: JsonValue) => unknown,
): Workflow<unknown, unknown> {
  const { version, accepts, gates, ...node } = options;
  checkGates(name, options);
  const definition = {
    ...node,
    kind: 'workflow',
    code: async (operations: CodeOperations, input: JsonValue) => code(operations, input),
  } as const;
  return codeGraph(name, definition, present({ version, accepts, gates }));
}
