import type { Tool } from '../core/index.js';
import { HitlError, nearNames } from '../core/index.js';

import { defineTool } from './define-tool.js';
import type { ToolBody, ToolDefinition } from './defined-tool.js';

type Members = Readonly<Record<string, unknown>>;

/** The members of a tool written as a plain object; `execute` is its body. */
const KNOWN = new Set([
  'name',
  'description',
  'input',
  'output',
  'interrupt',
  'resume',
  'context',
  'effect',
  'title',
  'needsApproval',
  'approval',
  'allowed',
  'facts',
  'timeoutMs',
  'multipart',
  'endsRun',
  'execute',
]);

/** The names that other libraries have for these members. */
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

/** True for an object. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a tool as the engine takes it, whichever copy of the package made it. */
export function isTool(value: unknown): value is Tool {
  return (
    isMembers(value) &&
    typeof value['name'] === 'string' &&
    typeof value['description'] === 'string' &&
    isMembers(value['inputSchema']) &&
    typeof value['restartable'] === 'boolean' &&
    ['parseInput', 'parseOutput', 'execute'].every((member) => typeof value[member] === 'function')
  );
}

/** True for what somebody meant as a tool: it has a name, and says or does something. */
export function looksLikeTool(value: unknown): value is Members {
  if (!isMembers(value) || typeof value['name'] !== 'string') return false;
  return ['description', 'execute', 'inputSchema', 'input'].some((member) => member in value);
}

/**
 * Makes a tool of a plain object: `{ name, description, input?, execute, … }`.
 * @throws HitlError BAD_CONFIG saying what is wrong with it.
 */
export function toolFromPlain(plain: Members): Tool {
  const unknown = Object.keys(plain).find((member) => !KNOWN.has(member));
  if (unknown !== undefined) {
    const meant = ELSEWHERE.get(unknown) ?? nearNames(unknown, KNOWN)[0];
    throw new HitlError('BAD_CONFIG', `it has a member \`${unknown}\`, which tools do not have`, {
      hint: meant === undefined ? `a tool may have: ${[...KNOWN].join(', ')}` : `did you mean \`${meant}\`?`,
    });
  }
  const { execute, ...definition } = plain;
  if (!isBody(execute)) {
    throw new HitlError('BAD_CONFIG', 'it has no function `execute`', {
      hint: 'write execute(input, context) { … }, or use defineInterrupt for a tool that only asks',
    });
  }
  return defineTool(asDefinition(definition), execute);
}

type PlainBody = ToolBody<unknown, unknown, unknown, unknown, boolean>;

function isBody(value: unknown): value is PlainBody {
  return typeof value === 'function';
}

/** Names and schemas are checked by `defineTool`; what it takes on trust from a compiler is checked here. */
function asDefinition(given: Members): ToolDefinition<unknown, unknown, unknown, unknown, boolean> {
  if (!isDefinition(given)) throw new HitlError('BAD_CONFIG', 'its name and description must be text');
  const { needsApproval, approval } = given;
  if (
    needsApproval !== undefined &&
    typeof needsApproval !== 'boolean' &&
    typeof needsApproval !== 'function'
  ) {
    throw new HitlError('BAD_CONFIG', '`needsApproval` must be true, false or a function of the input');
  }
  const { title, facts } = given;
  for (const [member, value] of Object.entries({ approval, facts, title })) {
    if (value !== undefined && typeof value !== 'function')
      throw new HitlError('BAD_CONFIG', `\`${member}\` must be a function of the input`);
  }
  return given;
}

function isDefinition(
  given: Members,
): given is Members & ToolDefinition<unknown, unknown, unknown, unknown, boolean> {
  return typeof given['name'] === 'string' && typeof given['description'] === 'string';
}
