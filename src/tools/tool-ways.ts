import { ANSWER_WAYS, HitlError } from '../core/index.js';

/**
 * Looks at the ways of answering that a definition names.
 * @throws HitlError BAD_CONFIG for a word that is none, and for none at all: nobody could answer.
 */
export function checkWays(allowed: unknown, name: string): void {
  if (allowed === undefined) return;
  const isList = Array.isArray(allowed) && allowed.length > 0;
  if (isList && allowed.every((way) => ANSWER_WAYS.includes(String(way)))) return;
  throw new HitlError('BAD_CONFIG', `\`allowed\` of tool \`${name}\` must name ways to answer`, {
    hint: `it may hold: ${ANSWER_WAYS.join(', ')}`,
  });
}
