/** Tokens of one or more model calls, and their price where it is known. */
export interface Usage {
  /** The whole prompt, with what came from a cache and what was written to it. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** US dollars; absent where the price of the model is not known. */
  readonly costUsd?: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

function sum(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}

/** US dollars, where they are known; what used no tokens cost nothing. */
export function knownCost({ costUsd, inputTokens, outputTokens }: Usage): number | undefined {
  return costUsd ?? (inputTokens === 0 && outputTokens === 0 ? 0 : undefined);
}

/** Adds two counts; a member that neither has stays absent. A cost is that of the part whose price is known. */
export function addUsage(left: Usage, right: Usage): Usage {
  const cacheReadTokens = sum(left.cacheReadTokens, right.cacheReadTokens);
  const cacheWriteTokens = sum(left.cacheWriteTokens, right.cacheWriteTokens);
  const costUsd = sum(left.costUsd, right.costUsd);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(costUsd !== undefined && { costUsd }),
  };
}
