import { ANSWER_WAYS, HitlError } from '../core/index.js';

/**
 * Validates the allowed actions in a definition.
 * @throws HitlError BAD_CONFIG for an unknown action, and for an empty list, because no one could answer.
 */
export function checkWays(allowed: unknown, name: string): void {
  if (allowed === undefined) return;
  const isList = Array.isArray(allowed) && allowed.length > 0;
  if (isList && allowed.every((way) => ANSWER_WAYS.includes(String(way)))) return;
  throw new HitlError('BAD_CONFIG', `\`allowed\` of tool \`${name}\` must be a list of valid actions`, {
    hint: `allowed values: ${ANSWER_WAYS.join(', ')}`,
  });
}
