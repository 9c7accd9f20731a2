import type { Usage } from '../../core/index.js';
import { isJsonObject, membersOf, present } from '../../core/index.js';

/** Counts in version 2, counts with their parts after that. */
export function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = membersOf(usage);
  const [input, output] = [countOf(inputTokens), countOf(outputTokens)];
  if (input === undefined && output === undefined) return undefined;
  const { cacheRead, cacheWrite } = membersOf(inputTokens);
  const [read, written] = [countOf(cacheRead ?? cachedInputTokens), countOf(cacheWrite)];
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...present({ cacheReadTokens: read, cacheWriteTokens: written }),
  };
}

function countOf(value: unknown): number | undefined {
  const count = isJsonObject(value) ? value['total'] : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}
