/** US dollars for a million tokens. Cache writes are those that live for five minutes, and for one hour. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** Tokens of one reply, as the provider counts them: `input` holds nothing of the cache. */
export interface BilledTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

// The list is that of 2026-10-24. Source: platform.claude.com/docs/en/about-claude/pricing.

/** Writing costs 1.25 and 2 times, reading `cacheRead` times the input price. */
function price(input: number, output: number, cacheRead = 0.1): Price {
  return { input, output, cacheRead: input * cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
}

const PRICES: Readonly<Record<string, Price>> = {
  'claude-fable-5-1': price(10, 50, 0.025),
  'claude-mythos-5-1': price(10, 50, 0.025),
  'claude-fable-5': price(10, 50),
  'claude-mythos-5': price(10, 50),
  'claude-opus-5-5': price(4, 20, 0.05),
  'claude-opus-5': price(5, 25),
  'claude-opus-4-8': price(5, 25),
  'claude-opus-4-7': price(5, 25),
  'claude-opus-4-6': price(5, 25),
  'claude-opus-4-5': price(5, 25),
  'claude-opus-4-1': price(15, 75),
  'claude-opus-4': price(15, 75),
  'claude-sonnet-5-5': price(2, 10, 0.05),
  'claude-sonnet-5': price(2, 10),
  'claude-sonnet-4-6': price(3, 15),
  'claude-sonnet-4-5': price(3, 15),
  'claude-sonnet-4': price(3, 15),
  'claude-haiku-5-5': price(0.1, 0.5),
  'claude-haiku-4-5': price(1, 5),
};

/** Some models cost more, on every token, once the prompt is longer than this. */
const LONG_PROMPTS: Readonly<Record<string, { readonly above: number; readonly price: Price }>> = {
  'claude-haiku-5-5': { above: 100_000, price: price(0.5, 2.5) },
};

/** Every model whose price is known; newest first within a family. */
export const KNOWN_MODELS: readonly string[] = Object.keys(PRICES);

/** The model that a name is a version of: `claude-sonnet-4-5-20250929` and `claude-opus-4-0` are priced as the model they are a version of. */
export function familyOf(model: string): string {
  return model.replace(/-\d{8}$/u, '').replace(/-0$/u, '');
}

function priceOf(
  model: string,
  { input, cacheRead, cacheWrite, cacheWriteHour }: BilledTokens,
): Price | undefined {
  const name = familyOf(model);
  const long = Object.hasOwn(LONG_PROMPTS, name) ? LONG_PROMPTS[name] : undefined;
  const prompt = input + cacheRead + cacheWrite + cacheWriteHour;
  if (long !== undefined && prompt > long.above) return long.price;
  return Object.hasOwn(PRICES, name) ? PRICES[name] : undefined;
}

/** True for a model that is on the list. */
export function hasPrice(model: string): boolean {
  return Object.hasOwn(PRICES, familyOf(model));
}

/** Computes what a reply costs by the list above, in US dollars; `undefined` for a model that is not on it. */
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
