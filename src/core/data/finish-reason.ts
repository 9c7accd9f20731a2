/**
 * The reason that a model's reply ended. Only `tool-use` replies contain tool requests; a reply cut off
 * inside a tool input does not.
 */
export type ReplyEnd = 'stop' | 'tool-use' | 'length' | 'refusal' | 'context-window' | 'paused' | 'other';

/** A provider's reasons for a refusal. */
export interface Refusal {
  /** Kind of harm, for example `cyber`. */
  readonly category?: string;
  readonly explanation?: string;
}

/** The reason that `generate` ended, in Genkit's terms. */
export type FinishReason = 'stop' | 'length' | 'blocked' | 'aborted' | 'interrupted' | 'other' | 'unknown';

/** A code for a reply that the model did not finish. */
export type Unfinished = 'refused' | 'cut' | 'context-full';

/** Returns the code for a reply that the model did not finish; `undefined` for every other end. */
export function unfinishedOf(end: ReplyEnd): Unfinished | undefined {
  switch (end) {
    case 'refusal':
      return 'refused';
    case 'length':
      return 'cut';
    case 'context-window':
      return 'context-full';
    case 'stop':
    case 'tool-use':
    case 'paused':
    case 'other':
      return undefined;
  }
}

/** Returns Genkit's term for a reply's end. */
export function finishReasonOf(end: ReplyEnd): FinishReason {
  switch (end) {
    case 'stop':
    case 'tool-use':
      return 'stop';
    case 'length':
    case 'context-window':
      return 'length';
    case 'refusal':
      return 'blocked';
    case 'paused':
    case 'other':
      return 'other';
  }
}

/** Token usage of model calls, and their cost if known. */
export interface Usage {
  /** The whole prompt, including tokens read from or written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Cost in US dollars; absent if the model's price is unknown. */
  readonly costUsd?: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

function sum(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}

/** Returns the cost in US dollars, if known. The cost of zero tokens is 0. */
export function knownCost({ costUsd, inputTokens, outputTokens }: Usage): number | undefined {
  return costUsd ?? (inputTokens === 0 && outputTokens === 0 ? 0 : undefined);
}

/**
 * Adds two usages. Properties that are absent in both stay absent. The total cost includes only the parts
 * whose price is known.
 */
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
