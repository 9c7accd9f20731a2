import type { ContextRoom } from '../../src/engine/index.js';
import type { RunFlags } from '../flags/options.js';
import type { ChangingModel } from './changing-model.js';

/** Gives the room in the context of the model that answers now: as it was limited, else as much as fits it. */
export function roomOf(
  { contextLimit, compact }: Pick<RunFlags, 'contextLimit' | 'compact'>,
  { current }: Pick<ChangingModel, 'current'>,
): ContextRoom | undefined {
  const { contextTokens = contextLimit } = current;
  if (contextTokens === undefined) return undefined;
  const limit = Math.min(contextTokens, contextLimit ?? contextTokens);
  return { limit, ...(compact !== undefined && { compact }) };
}
