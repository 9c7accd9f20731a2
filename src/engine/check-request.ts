import { HitlError } from '../core/index.js';
import { checkContext } from './check-tools.js';
import { NO_TOOLS } from './generate-start.js';
import type { GenerateRequest } from './generate-types.js';
import { checkLimits } from './limits.js';

/**
 * Looks at everything of a request but the messages and the resume, which have readers of their own: a program that is
 * not compiled gives anything, and nothing may begin with it.
 * @throws HitlError BAD_INPUT, BAD_CONFIG
 */
export function checkRequest(request: GenerateRequest): void {
  const { model, messages = [], prompt, resume, system, maxTurns, tools = NO_TOOLS, context } = request;
  checkModel(model);
  checkText(prompt, 'prompt');
  checkText(system, 'system');
  checkLimits({ maxTurns });
  checkContext(tools, context);
  if (prompt !== undefined || resume !== undefined || !isEmptyList(messages)) return;
  throw new HitlError('BAD_INPUT', 'there is nothing to generate from: no `prompt` and no `messages`', {
    hint: 'give a `prompt`, the `messages` of a conversation, or both',
  });
}

/** @throws HitlError BAD_INPUT for what cannot be asked anything. */
export function checkModel(model: unknown): void {
  const isModel = typeof model === 'object' && model !== null && 'generate' in model;
  if (isModel && typeof model.generate === 'function') return;
  throw new HitlError('BAD_INPUT', '`model` is no model', {
    hint: 'give what `createModel` makes, or an object with `id` and `generate`',
  });
}

function checkText(value: unknown, name: string): void {
  if (value === undefined || typeof value === 'string') return;
  throw new HitlError('BAD_INPUT', `\`${name}\` must be a text`);
}

function isEmptyList(messages: unknown): boolean {
  return Array.isArray(messages) && messages.length === 0;
}
