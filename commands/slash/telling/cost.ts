import type { RunState } from '../../../src/core/index.js';
import { knownCost } from '../../../src/core/index.js';
import type { CreatedModel } from '../../../src/models/index.js';
import { formatCost, formatCount } from '../../../src/render/index.js';
import type { SlashHandler } from '../context.js';

/** `/cost`: tokens and price of the session so far. */
export const cost: SlashHandler = (_argument, { session, model, flags }, print) => {
  print(costLine(session.state, model.current));
  if (flags.maxCost !== undefined) print(`it may cost ${formatCost(flags.maxCost)}`);
  return Promise.resolve(undefined);
};

/** Tokens in and out, and what they cost; says so where nobody knows. */
export function costLine({ usage }: RunState, { isPriced }: Pick<CreatedModel, 'isPriced'>): string {
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = usage;
  const cached = cacheReadTokens === 0 ? '' : ` (${formatCount(cacheReadTokens)} from the cache)`;
  const tokens = `${formatCount(inputTokens)} tokens in${cached}, ${formatCount(outputTokens)} out`;
  const known = knownCost(usage);
  const price = known === undefined || isPriced === false ? 'cost unknown for this model' : formatCost(known);
  return `${tokens}, ${price}`;
}
