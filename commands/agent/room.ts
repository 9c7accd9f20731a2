import type { ContextRoom } from '../../src/engine/index.js';
import type { RunFlags } from '../flags/options.js';
import type { ChangingModel } from './changing-model.js';

/**
 * Returns the context room of the current model: the smaller of the configured limit and the model's known
 * context size. Returns `undefined` if neither is known.
 */
export function roomOf(
  { contextLimit, compact }: Pick<RunFlags, 'contextLimit' | 'compact'>,
  { current }: Pick<ChangingModel, 'current'>,
): ContextRoom | undefined {
  const { contextTokens = contextLimit } = current;
  if (contextTokens === undefined) return undefined;
  const limit = Math.min(contextTokens, contextLimit ?? contextTokens);
  return { limit, ...(compact !== undefined && { compact }) };
}
