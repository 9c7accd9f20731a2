import type { RunState, Shown } from '../../../src/core/index.js';
import { knownCost, shown } from '../../../src/core/index.js';
import type { CreatedModel } from '../../../src/models/index.js';
import { formatCost, formatCount } from '../../../src/render/index.js';
import type { SlashHandler } from '../context.js';

/** `/cost`: tokens and price of the session so far. */
export const cost: SlashHandler = (_argument, { session, model, flags }, print) => {
  print(costLine(session.state, model.current));
  if (flags.maxCost !== undefined) print(shown`it may cost ${formatCost(flags.maxCost)}`);
};

/** Tokens in and out, and what they cost; says so where nobody knows. */
export function costLine({ usage }: RunState, { isPriced }: Pick<CreatedModel, 'isPriced'>): Shown {
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = usage;
  const cached = cacheReadTokens === 0 ? shown`` : shown` (${formatCount(cacheReadTokens)} from the cache)`;
  const tokens = shown`${formatCount(inputTokens)} tokens in${cached}, ${formatCount(outputTokens)} out`;
  const known = knownCost(usage);
  const price =
    known === undefined || isPriced === false ? shown`cost unknown for this model` : formatCost(known);
  return shown`${tokens}, ${price}`;
}
