import type { HitlError, OptionRows, OptionTable } from '../../core/index.js';
import {
  anyOf,
  ANYTHING,
  DEADLINE_OPTIONS,
  DURATION,
  FLAG,
  FUNCTION,
  isJsonObject,
  members,
  NUMBER,
  OBJECT,
  optionsError,
  required,
  SCHEMA,
  TEXT,
} from '../../core/index.js';
import { isGraph } from '../definition/graph-definition.js';
import { STEP_OPTIONS } from '../definition/option-rows.js';
import type { AgentOptions, BranchOptions, EventOptions, PlainQuestion } from './workflow-context.js';

/** A JSON Schema, or a typed schema. */
const SCHEMA_OF_ANSWER = anyOf(OBJECT, SCHEMA);
const QUESTION: OptionTable<PlainQuestion> = {
  ...DEADLINE_OPTIONS,
  prompt: required(TEXT),
  schema: SCHEMA_OF_ANSWER,
  payload: ANYTHING,
};
const { timeout, onTimeout } = DEADLINE_OPTIONS;
const EVENT: OptionTable<EventOptions> = { schema: SCHEMA_OF_ANSWER, prompt: TEXT, timeout, onTimeout };
const AGENT: OptionTable<AgentOptions> = {
  prompt: required(TEXT),
  model: OBJECT,
  tools: OBJECT,
  system: TEXT,
  limits: OBJECT,
};
const BRANCHES: OptionTable<BranchOptions> = { limit: NUMBER };
const KEEP: OptionRows = { keep: FLAG };

const NAME = required(TEXT);
const TOOL = {
  words: 'a tool from `defineTool`: the tool itself, not its name',
  fits: (value: unknown) => isJsonObject(value) && typeof value['execute'] === 'function',
};
const GRAPH = { words: 'a workflow or a built graph', fits: isGraph };
const BODIES = {
  words: 'an object of functions, keyed by branch name',
  fits: (value: unknown) =>
    isJsonObject(value) && Object.values(value).every((body: unknown) => typeof body === 'function'),
};
const MOMENT = {
  words: 'an ISO 8601 timestamp, or a Date',
  fits: (value: unknown) =>
    typeof value === 'string' || (isJsonObject(value) && typeof value['getTime'] === 'function'),
};

/** The parameters of each operation in workflow code. */
const CALLS = {
  step: { name: NAME, body: required(FUNCTION), options: members(STEP_OPTIONS) },
  ask: { name: NAME, question: required(members(QUESTION)) },
  tool: { tool: required(TOOL), input: ANYTHING },
  agent: { name: NAME, options: required(members(AGENT)) },
  call: { graph: required(GRAPH), input: ANYTHING },
  branches: { name: NAME, branches: required(BODIES), options: members(BRANCHES) },
  sleep: { name: NAME, duration: required(DURATION) },
  until: { name: NAME, moment: required(MOMENT) },
  event: { name: NAME, options: members(EVENT) },
  put: { patch: required(OBJECT) },
  emit: { data: ANYTHING, options: members(KEEP) },
  patched: { name: NAME },
} satisfies Readonly<Record<string, OptionRows>>;

/** Returns the error for an operation called with invalid arguments; `undefined` if they are valid. */
export function callError(
  what: keyof typeof CALLS,
  given: Readonly<Record<string, unknown>>,
): HitlError | undefined {
  const { name } = given;
  const of = `\`ctx.${what === 'branches' ? 'all' : what}\`${typeof name === 'string' ? ` (${name})` : ''}`;
  return optionsError(of, given, CALLS[what]);
}

/**
 * Checks the arguments of an operation.
 * @throws HitlError BAD_CONFIG if they are invalid.
 */
export function checkCall(...call: Parameters<typeof callError>): void {
  const error = callError(...call);
  if (error !== undefined) throw error;
}
