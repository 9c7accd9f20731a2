import type {
  ApprovalPolicy,
  ApprovalRequest,
  Deadline,
  Effect,
  JsonObject,
  JsonValue,
  ParseResult,
  ToolResult,
} from '../core/index.js';
import {
  approversProblem,
  codeName,
  deadlineOf,
  editFormProblem,
  HitlError,
  isJsonObject,
  lasting,
  nearNames,
  present,
  timeoutProblem,
} from '../core/index.js';

import type { Parsed } from './compile-schema.js';
import type { DefinedTool, ToolBody, ToolDefinition } from './defined-tool.js';
import { toJson } from './to-json.js';
import { answersOf } from './tool-answers.js';
import { checkToolName, shortName } from './tool-name.js';
import type { ToolSchemas } from './tool-schemas.js';
import { compileToolSchemas, fitting, parseResumed } from './tool-schemas.js';
import { fittingContext, parseContext } from './request-context.js';
import { checkWays } from './tool-ways.js';
import { CheckedContext } from './typed-context.js';

// Invariants:
// D1 Whatever runs the body has fitted the input schema in this very call, whoever made the input.
// D2 Nothing that is not JSON leaves a tool.

/** A body whose types were checked where the tool was defined. */
type AnyBody = ToolBody<unknown, unknown, unknown, unknown, boolean>;
type AnyDefinition = ToolDefinition<unknown, unknown, unknown, unknown, boolean>;

/**
 * Every valid property of a definition. Any other property is a mistake, and is refused instead of being
 * ignored.
 */
const MEMBERS: Readonly<Record<keyof AnyDefinition, true>> = {
  name: true,
  description: true,
  input: true,
  output: true,
  interrupt: true,
  resume: true,
  context: true,
  effect: true,
  effectOf: true,
  problem: true,
  title: true,
  editing: true,
  reviewable: true,
  needsApproval: true,
  approval: true,
  deadline: true,
  approvalLasts: true,
  version: true,
  approvers: true,
  allowed: true,
  facts: true,
  timeoutMs: true,
  multipart: true,
  endsRun: true,
  origin: true,
};

/** Names of the valid properties of a definition. */
export const TOOL_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MEMBERS));

/** Name of the property with the body, if a tool is written as one object. */
const BODY = 'execute';

/** Names that other libraries use for properties of a tool, with hitl's names for them. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['parameters', 'input'],
  ['inputSchema', 'input'],
  ['input_schema', 'input'],
  ['schema', 'input'],
  ['outputSchema', 'output'],
  ['run', 'execute'],
  ['handler', 'execute'],
  ['call', 'execute'],
  ['func', 'execute'],
]);

/**
 * @throws HitlError BAD_CONFIG for an unknown property. If it were ignored, a tool with a misspelled
 * `needsApproval` would run without asking.
 */
export function checkMembers(definition: object, known: ReadonlySet<string>, who: string): void {
  const [unknown] =
    Object.entries(definition).find(([member, value]) => value !== undefined && !known.has(member)) ?? [];
  if (unknown === undefined) return;
  throw new HitlError('BAD_CONFIG', `${who} has an unknown property \`${unknown}\``, {
    hint: memberHint(unknown, known),
  });
}

function memberHint(unknown: string, known: ReadonlySet<string>): string {
  const meant = ELSEWHERE.get(unknown) ?? (unknown === BODY ? BODY : nearNames(unknown, known)[0]);
  if (meant === undefined) return `a tool may have: ${[...known].join(', ')}`;
  return known.has(meant)
    ? `did you mean \`${meant}\`?`
    : 'pass the function to run as the second argument of `defineTool`';
}

/** Default source of a tool that is created in code. */
export const LIBRARY_ORIGIN = 'library';

/**
 * Creates a tool. The schemas determine the types of input, output, interrupt payload and resume value.
 * Without a body, the tool always interrupts, and a person provides the result.
 * @throws HitlError BAD_CONFIG for an invalid name, a missing description or an unusable schema.
 */
export function defineTool<
  Input = JsonObject,
  Output = JsonValue | undefined,
  Payload = JsonValue | undefined,
  Resume = JsonValue,
  Multipart extends boolean = false,
  Context = unknown,
  Ends extends boolean = boolean,
>(
  definition: ToolDefinition<Input, Output, Payload, Resume, Multipart, Context, Ends>,
  body?: ToolBody<
    NoInfer<Input>,
    NoInfer<Output>,
    NoInfer<Payload>,
    NoInfer<Resume>,
    Multipart,
    NoInfer<Context>
  >,
): DefinedTool<Input, Output, Resume, Ends>;
export function defineTool(
  definition: AnyDefinition,
  body?: AnyBody,
): DefinedTool<unknown, unknown, unknown> {
  const { name: qualifiedName, description } = definition;
  checkToolName(qualifiedName);
  const name = shortName(qualifiedName);
  if (typeof description !== 'string' || description.trim() === '') {
    throw new HitlError('BAD_CONFIG', `tool \`${name}\` has no description`, {
      hint: 'describe in a sentence or two what it does and when to use it; the model chooses tools by their descriptions',
    });
  }
  checkMembers(definition, TOOL_MEMBERS, `tool \`${name}\``);
  checkSettings(definition, name);
  checkWays(definition.allowed, name);
  const schemas = compileToolSchemas(definition, name);
  checkEditing(definition, schemas.input.json, name);
  return {
    name,
    qualifiedName,
    description,
    inputSchema: schemas.input.json,
    ...(schemas.output && { outputSchema: schemas.output.json }),
    effect: definition.effect ?? 'once',
    origin: definition.origin ?? LIBRARY_ORIGIN,
    restartable: body !== undefined,
    ...(definition.version !== undefined && { code: codeName('version', definition.version) }),
    ...(definition.multipart !== undefined && { multipart: definition.multipart }),
    ...(definition.endsRun !== undefined && { endsRun: definition.endsRun }),
    ...(definition.timeoutMs !== undefined && { timeoutMs: definition.timeoutMs }),
    ...(definition.editing !== undefined && { editing: definition.editing }),
    ...(definition.reviewable === true && { reviewable: definition.reviewable }),
    parseInput: (input) => whenParsed(schemas.input.parse(input), asJsonResult),
    parseOutput: (output) =>
      schemas.output === undefined
        ? { ok: true, value: output }
        : whenParsed(schemas.output.parse(output), asJsonResult),
    ...resumedOf(schemas),
    ...contextOf(definition.context),
    ...approvalOf(definition, schemas, name),
    ...titleOf(definition, schemas, name),
    ...factsOf(definition, schemas, name),
    ...problemOf(definition, schemas, name),
    ...effectOfCall(definition, schemas, name),
    async execute(input, context) {
      if (body === undefined) return context.interrupt(undefined, { kind: 'question' });
      const checked = await fitting(schemas.input, input, `the input of \`${name}\``);
      const result = await body(
        checked,
        new CheckedContext(context, schemas, { name, context: definition.context }),
      );
      return definition.multipart === true
        ? toToolResult(result, name)
        : toJson(result, `the output of \`${name}\``);
    },
    ...answersOf(name, schemas),
  };
}

const EFFECTS: ReadonlySet<unknown> = new Set<Effect>(['none', 'idempotent', 'once']);

/**
 * Checks settings for JavaScript modules, which no compiler checks. A wrong effect could make a tool run
 * twice.
 */
function checkSettings(
  { effect, timeoutMs, deadline = {}, approvalLasts, approvers }: AnyDefinition,
  name: string,
): void {
  const people = approvers === undefined ? undefined : approversProblem(approvers);
  if (people !== undefined) throw new HitlError('BAD_CONFIG', `tool \`${name}\`: ${people}`);
  checkDeadline(lasting(deadline, approvalLasts), approvers, name);
  if (effect !== undefined && !EFFECTS.has(effect)) {
    throw new HitlError(
      'BAD_CONFIG',
      `\`effect\` must be none, idempotent or once in tool \`${name}\`, got ${effect}`,
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new HitlError('BAD_CONFIG', `\`timeoutMs\` must be above 0 in tool \`${name}\`, got ${timeoutMs}`);
  }
}

/** @throws HitlError BAD_CONFIG if the editing form does not match the input */
function checkEditing({ editing }: AnyDefinition, inputSchema: JsonObject, name: string): void {
  const wrong = editing === undefined ? undefined : editFormProblem(editing, inputSchema);
  if (wrong !== undefined) throw new HitlError('BAD_CONFIG', `tool \`${name}\`: ${wrong}`);
}
/**
 * Checks a deadline. A timeout can reject or cancel the call, or ask someone else, but only people can
 * approve.
 */
function checkDeadline(deadline: Deadline, approvers: ApprovalPolicy | undefined, name: string): void {
  const asked = { kind: 'confirmation', ...present({ approvers }) } as const;
  const wrong = timeoutProblem(asked, deadlineOf(deadline).onTimeout);
  if (wrong !== undefined) throw new HitlError('BAD_CONFIG', `tool \`${name}\`: ${wrong}`);
}

/** Returns the validator for resume values, or an empty object if an approval may pass any value. */
function resumedOf({ resume }: ToolSchemas): Pick<DefinedTool, 'parseResumed' | 'resumeSchema'> {
  if (resume === undefined) return {};
  return {
    resumeSchema: resume.json,
    parseResumed: async (passedOn) => asJsonResult(await parseResumed(resume, passedOn)),
  };
}

/** Returns the validator for the request context, or an empty object if the tool has no schema for it. */
function contextOf(schema: AnyDefinition['context']): Pick<DefinedTool, 'parseContext'> {
  return schema === undefined ? {} : { parseContext: (context) => parseContext(schema, context) };
}

/**
 * Returns the approval check. It is omitted if no input needs approval, so that the engine can recognize such
 * tools.
 */
function approvalOf(
  definition: AnyDefinition,
  schemas: ToolSchemas,
  name: string,
): Pick<DefinedTool, 'approval' | 'asksAlways'> {
  const {
    needsApproval = false,
    approval,
    deadline,
    approvalLasts,
    approvers,
    allowed,
    context,
  } = definition;
  if (needsApproval === false && approval === undefined) return {};
  const narrowing = {
    ...(deadline !== undefined && { deadline }),
    ...(approvers !== undefined && { approvers }),
    ...(allowed !== undefined && { allowed }),
  };
  return {
    ...(needsApproval === true && { asksAlways: true }),
    async approval(input, signal, scene): Promise<ApprovalRequest | undefined> {
      const checked = await fitting(schemas.input, input, `the input of \`${name}\``);
      const call = { ...scene, context: fittingContext(context, scene.context, name) };
      const request = await approval?.(checked, signal, call);
      if (request !== undefined) return lastingRequest({ ...narrowing, ...request }, approvalLasts);
      const needed = typeof needsApproval === 'boolean' ? needsApproval : await needsApproval(checked, call);
      return needed ? lastingRequest(narrowing, approvalLasts) : undefined;
    },
  };
}

/** Adds the validity period of the tool's approvals to a request. */
function lastingRequest(request: ApprovalRequest, approvalLasts: string | undefined): ApprovalRequest {
  if (approvalLasts === undefined) return request;
  return { ...request, deadline: lasting(request.deadline ?? {}, approvalLasts) };
}

function titleOf({ title }: AnyDefinition, schemas: ToolSchemas, name: string): Pick<DefinedTool, 'title'> {
  if (title === undefined) return {};
  return { title: async (input) => title(await fitting(schemas.input, input, `the input of \`${name}\``)) };
}

function effectOfCall(
  { effectOf }: AnyDefinition,
  schemas: ToolSchemas,
  name: string,
): Pick<DefinedTool, 'effectOf'> {
  if (effectOf === undefined) return {};
  return {
    effectOf: async (input, signal) =>
      effectOf(await fitting(schemas.input, input, `the input of \`${name}\``), signal),
  };
}

function factsOf({ facts }: AnyDefinition, schemas: ToolSchemas, name: string): Pick<DefinedTool, 'facts'> {
  if (facts === undefined) return {};
  return {
    facts: async (input, signal) =>
      facts(await fitting(schemas.input, input, `the input of \`${name}\``), signal),
  };
}

/** Applies a function to a validation result. Runs synchronously if the validation was synchronous. */
function whenParsed<Result>(
  parsed: Parsed<unknown> | Promise<Parsed<unknown>>,
  then: (parsed: Parsed<unknown>) => Result,
): Result | Promise<Result> {
  return parsed instanceof Promise ? parsed.then(then) : then(parsed);
}

function problemOf(
  { problem }: AnyDefinition,
  schemas: ToolSchemas,
  name: string,
): Pick<DefinedTool, 'problem'> {
  if (problem === undefined) return {};
  return {
    problem: async (input, signal) =>
      problem(await fitting(schemas.input, input, `the input of \`${name}\``), signal),
  };
}

function asJsonResult(parsed: Parsed<unknown>): ParseResult {
  return parsed.ok ? { ok: true, value: toJson(parsed.value, 'the value') } : parsed;
}

/**
 * Converts a multipart result to JSON, because the whole result is journaled. The parts in `content` are kept
 * unchanged.
 */
function toToolResult(result: unknown, name: string): ToolResult {
  if (!isToolResult(result)) {
    throw new HitlError('TOOL_FAILED', `multipart tool \`${name}\` must return an object with \`output\``, {
      hint: 'return { output, content?, metadata? }, or define it without `multipart`',
    });
  }
  const { output, content, metadata } = result;
  const json = metadata === undefined ? undefined : toJson(metadata, `the metadata of \`${name}\``);
  return {
    output: toJson(output, `the output of \`${name}\``),
    ...(content !== undefined && { content }),
    ...(isJsonObject(json) && { metadata: json }),
  };
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'output' in value;
}
