import type { Tool } from '../core/index.js';
import { HitlError, isHitlError } from '../core/index.js';

import { isMembers, isTool, looksLikeTool, toolFromPlain } from './tool-shape.js';

/** The context in which a tool module is loaded. */
export interface ToolModuleContext {
  readonly cwd: string;
}

/** The exports that may be functions that create tools. Other exported functions are ignored. */
const MAKERS = new Set(['default', 'tools']);

/**
 * Returns the tools that a module exports: tools or plain objects, alone or in arrays, under any name, and
 * whatever a `default` or `tools` function returns. Other exports are ignored.
 * @throws HitlError BAD_CONFIG for an invalid tool.
 */
export async function toolsOf(exports: object, context: ToolModuleContext): Promise<readonly Tool[]> {
  // A tool may be exported under two names; CommonJS repeats every export in `default`.
  const found = new Set<unknown>();
  for (const [name, value] of Object.entries<unknown>({ ...exports })) {
    const made = MAKERS.has(name) ? await make(value, name, context) : value;
    for (const candidate of candidates(made, name)) found.add(candidate);
  }
  return [...found].map((value) => (isTool(value) ? value : fromPlain(value)));
}

async function make(value: unknown, name: string, context: ToolModuleContext): Promise<unknown> {
  if (typeof value !== 'function') return value;
  if (/^class\b/.test(Function.prototype.toString.call(value))) {
    throw new HitlError('BAD_CONFIG', `export \`${name}\` is a class`, {
      hint: 'export tools made by defineTool',
    });
  }
  const made: unknown = await Reflect.apply(value, undefined, [context]);
  if (looksLikeTool(made) || Array.isArray(made)) return made;
  throw new HitlError('BAD_CONFIG', `its exported function \`${name}\` returned ${kindOf(made)}`, {
    hint: 'return a tool or an array of tools',
  });
}

function candidates(value: unknown, name: string): readonly unknown[] {
  if (looksLikeTool(value)) return [value];
  if (name === 'default' && isMembers(value)) return Object.values(value).filter(looksLikeTool);
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  const wrong = items.findIndex((item) => !looksLikeTool(item));
  // An array of something else is none of our business, unless a place for tools holds it.
  if (wrong === -1 || (!MAKERS.has(name) && !items.some(looksLikeTool))) return wrong === -1 ? items : [];
  throw new HitlError(
    'BAD_CONFIG',
    `item ${wrong + 1} of \`${name}\` is ${kindOf(items[wrong])}, not a tool`,
    {
      hint: 'make it with defineTool, or write { name, description, input, execute }',
    },
  );
}

function fromPlain(value: unknown): Tool {
  const name = isMembers(value) ? String(value['name']) : '';
  try {
    return toolFromPlain(isMembers(value) ? value : {});
  } catch (error) {
    if (!isHitlError(error)) throw error;
    const { message, hint } = error;
    throw new HitlError('BAD_CONFIG', `\`${name}\` looks like a tool, but ${message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (isMembers(value)) return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no members'}`;
  return `a ${typeof value}`;
}
