import { ANSWER_WAYS, HitlError } from '../core/index.js';

/**
 * Validates a definition's allowed actions.
 * @throws HitlError BAD_CONFIG for an unknown one, and for an empty list, which no one could answer.
 */
export function checkWays(allowed: unknown, name: string): void {
  if (allowed === undefined) return;
  const isList = Array.isArray(allowed) && allowed.length > 0;
  if (isList && allowed.every((way) => ANSWER_WAYS.includes(String(way)))) return;
  throw new HitlError('BAD_CONFIG', `\`allowed\` of tool \`${name}\` must name ways to answer`, {
    hint: `allowed values: ${ANSWER_WAYS.join(', ')}`,
  });
}
