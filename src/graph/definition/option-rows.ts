import type { OptionRows, OptionTable } from '../../core/index.js';
import {
  anyOf,
  ANYTHING,
  COUNT,
  DEADLINE_OPTIONS,
  DURATION,
  FLAG,
  FUNCTION,
  LIST,
  members,
  NUMBER,
  OBJECT,
  oneOf,
  optionProblems,
  PART,
  renamed,
  required,
  SCHEMA,
  TEXT,
} from '../../core/index.js';
import type {
  EdgeOptions,
  FunctionOptions,
  GateOptions,
  NodeDefinition,
  NodeOptions,
} from './graph-definition.js';
import type { RetryPolicy, StepOptions } from './code-operations.js';

/** The possible effects of running something again. */
export const EFFECT = oneOf('none', 'idempotent', 'once');

const GATE: OptionTable<GateOptions> = {
  ...DEADLINE_OPTIONS,
  before: FLAG,
  after: FLAG,
  when: TEXT,
  prompt: TEXT,
};

const RETRY_ROWS: OptionTable<RetryPolicy> = {
  attempts: COUNT,
  delay: DURATION,
  factor: NUMBER,
  cap: DURATION,
  jitter: PART,
  when: FUNCTION,
};

/** Retry options of a node or step, including the former names of `delay` and `cap`. */
const RETRY: OptionRows = {
  ...RETRY_ROWS,
  delayMs: renamed('delay', DURATION),
  capMs: renamed('cap', DURATION),
};

const NODE: OptionTable<NodeOptions> = {
  gate: members(GATE),
  steer: OBJECT,
  retry: members({ ...RETRY, attempts: required(COUNT) }),
  onError: oneOf('fail', 'ask', 'continue'),
  outputKey: anyOf(TEXT, oneOf(false)),
  inputSchema: SCHEMA,
  outputSchema: SCHEMA,
};

const FUNCTION_ROWS: OptionTable<FunctionOptions> = { ...NODE, effect: EFFECT, timeout: DURATION };

/** The options of each kind of node. */
const NODES: {
  readonly [Kind in NodeDefinition['kind']]: OptionTable<
    Omit<NodeDefinition & { readonly kind: Kind }, 'kind'>
  >;
} = {
  function: { ...FUNCTION_ROWS, run: required(FUNCTION) },
  agent: {
    ...NODE,
    model: OBJECT,
    tools: OBJECT,
    system: TEXT,
    limits: OBJECT,
    prompt: FUNCTION,
    agents: OBJECT,
    effort: TEXT,
    thinking: TEXT,
    providerTools: LIST,
  },
  tool: { ...NODE, tool: required(OBJECT), input: required(FUNCTION) },
  human: { ...NODE, question: required(FUNCTION) },
  choose: { ...NODE, select: required(FUNCTION), candidates: required(OBJECT), fallback: TEXT },
  group: {
    ...NODE,
    members: required(OBJECT),
    join: anyOf(oneOf('all', 'any'), NUMBER),
    onBranchError: oneOf('fail-fast', 'continue', 'collect'),
    onConflict: oneOf('error', 'last', 'first'),
  },
  map: {
    ...NODE,
    items: required(FUNCTION),
    worker: required(OBJECT),
    maxParallel: NUMBER,
    reduce: FUNCTION,
  },
  subgraph: {
    ...NODE,
    graph: required(OBJECT),
    state: oneOf('shared', 'isolated'),
    input: FUNCTION,
    result: FUNCTION,
  },
  workflow: { ...NODE, code: required(FUNCTION), takes: FUNCTION, operations: LIST },
};

export const EDGE_OPTIONS: OptionTable<EdgeOptions> = {
  when: anyOf(TEXT, FUNCTION),
  priority: NUMBER,
  weight: NUMBER,
};

const STEP_ROWS: OptionTable<StepOptions> = {
  effect: EFFECT,
  retry: members(RETRY),
  timeout: DURATION,
  of: ANYTHING,
};

/** Options of a step in workflow code, including the former name of `timeout`. */
export const STEP_OPTIONS: OptionRows = { ...STEP_ROWS, timeoutMs: renamed('timeout', DURATION) };

/** Returns the problems in a node's options, one line each. */
export function nodeOptionProblems(name: string, node: NodeDefinition): readonly string[] {
  const { kind, ...rest } = node;
  const of = `\`${name}\``;
  if (!Object.hasOwn(NODES, kind))
    return [`${of} has an unknown node kind; known kinds: ${Object.keys(NODES).join(', ')}`];
  const own: OptionRows = NODES[kind];
  return optionProblems(
    of,
    rest,
    kind === 'function' ? { ...own, timeoutMs: renamed('timeout', DURATION) } : own,
  );
}
