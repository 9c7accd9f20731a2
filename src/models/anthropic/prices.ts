import type { Price } from './models.js';
import { listedModel } from './models.js';

/** Tokens of one reply, as the provider counts them: `input` holds nothing of the cache. */
export type BilledTokens = Readonly<Record<keyof Price, number>>;

function priceOf(
  model: string,
  { input, cacheRead, cacheWrite, cacheWriteHour }: BilledTokens,
): Price | undefined {
  const listed = listedModel(model);
  const prompt = input + cacheRead + cacheWrite + cacheWriteHour;
  const long = listed?.longPrompts;
  return long !== undefined && prompt > long.above ? long.price : listed?.price;
}

/** Computes what a reply costs by the list, in US dollars; `undefined` for a model that is not on it. */
export function costOf(model: string, tokens: BilledTokens): number | undefined {
  const list = priceOf(model, tokens);
  if (list === undefined) return undefined;
  const millionths =
    tokens.input * list.input +
    tokens.output * list.output +
    tokens.cacheRead * list.cacheRead +
    tokens.cacheWrite * list.cacheWrite +
    tokens.cacheWriteHour * list.cacheWriteHour;
  return Number((millionths / 1_000_000).toFixed(9));
}
