import type { ContextRoom } from '../../src/engine/index.js';
import type { RunFlags } from '../flags/options.js';
import type { ChangingModel } from './changing-model.js';

/** Returns the context room of the active model: the limit, else its known size. */
export function roomOf(
  { contextLimit, compact }: Pick<RunFlags, 'contextLimit' | 'compact'>,
  { current }: Pick<ChangingModel, 'current'>,
): ContextRoom | undefined {
  const { contextTokens = contextLimit } = current;
  if (contextTokens === undefined) return undefined;
  const limit = Math.min(contextTokens, contextLimit ?? contextTokens);
  return { limit, ...(compact !== undefined && { compact }) };
}
