import type { Tool } from '../core/index.js';
import { HitlError } from '../core/index.js';

import { checkMembers, defineTool, TOOL_MEMBERS } from './define-tool.js';
import type { ToolBody, ToolDefinition } from './defined-tool.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Valid properties of a tool that is written as a plain object. `execute` is its body. `origin` is excluded,
 * because a tool cannot set its own source.
 */
const KNOWN: ReadonlySet<string> = new Set([
  ...[...TOOL_MEMBERS].filter((member) => member !== 'origin'),
  'execute',
]);

/** Whether a value is an object, not an array. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a tool that the engine can run, possibly from another copy of the package. */
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

/** Whether a value seems to be intended as a tool, because it has a name and also a description or a body. */
export function looksLikeTool(value: unknown): value is Members {
  if (!isMembers(value) || typeof value['name'] !== 'string') return false;
  return ['description', 'execute', 'inputSchema', 'input'].some((member) => member in value);
}

/**
 * Creates a tool from a plain object: `{ name, description, input?, execute, … }`.
 * @throws HitlError BAD_CONFIG with the problem.
 */
export function toolFromPlain(plain: Members): Tool {
  checkMembers(plain, KNOWN, 'it');
  const { execute, ...definition } = plain;
  if (!isBody(execute)) {
    throw new HitlError('BAD_CONFIG', 'it has no `execute` function', {
      hint: 'write execute(input, context) { … }, or use defineInterrupt for a tool that only asks',
    });
  }
  return defineTool(asDefinition(definition), execute);
}

type PlainBody = ToolBody<unknown, unknown, unknown, unknown, boolean>;

function isBody(value: unknown): value is PlainBody {
  return typeof value === 'function';
}

/**
 * Validates the properties whose types `defineTool` leaves to the compiler. `defineTool` itself validates
 * names and schemas.
 */
function asDefinition(given: Members): ToolDefinition<unknown, unknown, unknown, unknown, boolean> {
  if (!isDefinition(given)) throw new HitlError('BAD_CONFIG', 'its name and description must be strings');
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
