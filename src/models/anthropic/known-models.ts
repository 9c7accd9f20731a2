// What is known of Anthropic's models, as listed on 24 October 2026. Sources: platform.claude.com/docs, the pages
// about-claude/pricing and build-with-claude/context-windows. A model that is not here is asked all the same; its price
// and its window are then said to be unknown.

/**
 * Prices in US dollars per million tokens. `cacheWrite` applies to a cache lifetime of five minutes,
 * `cacheWriteHour` to one hour.
 */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** A listed model. */
export interface ListedModel {
  readonly price: Price;
  /** Prices for prompts of more than `above` tokens, for models that charge more for them. */
  readonly longPrompts?: { readonly above: number; readonly price: Price };
  /** Maximum number of tokens in a request and its reply combined. */
  readonly window: number;
  /** Whether thinking requires a token budget. Other models decide on their own how much to think. */
  readonly hasBudget?: true;
  /** Set if the model does not support schemas. */
  readonly isFree?: true;
}

/**
 * Calculates a model's prices. Cache writes cost 1.25 and 2 times the input price, and cache reads cost
 * `cacheRead` times the input price.
 */
function price(input: number, output: number, cacheRead = 0.1): Price {
  return { input, output, cacheRead: input * cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
}

const USUAL = { window: 200_000, hasBudget: true } as const;
const LARGE = { window: 1_000_000 } as const;

/** All known models. Within a family, the newest comes first. */
const MODELS: Readonly<Record<string, ListedModel>> = {
  'claude-fable-5-1': { ...LARGE, price: price(10, 50, 0.025) },
  'claude-mythos-5-1': { ...LARGE, price: price(10, 50, 0.025) },
  'claude-fable-5': { ...LARGE, price: price(10, 50) },
  'claude-mythos-5': { ...LARGE, price: price(10, 50) },
  'claude-opus-5-5': { ...LARGE, price: price(4, 20, 0.05) },
  'claude-opus-5': { ...LARGE, price: price(5, 25) },
  'claude-opus-4-8': { ...LARGE, price: price(5, 25) },
  'claude-opus-4-7': { ...LARGE, price: price(5, 25) },
  'claude-opus-4-6': { ...LARGE, price: price(5, 25) },
  'claude-opus-4-5': { ...USUAL, price: price(5, 25) },
  'claude-opus-4-1': { ...USUAL, price: price(15, 75) },
  'claude-opus-4': { ...USUAL, isFree: true, price: price(15, 75) },
  'claude-sonnet-5-5': { ...LARGE, price: price(2, 10, 0.05) },
  'claude-sonnet-5': { ...LARGE, price: price(2, 10) },
  'claude-sonnet-4-6': { ...LARGE, price: price(3, 15) },
  'claude-sonnet-4-5': { ...USUAL, price: price(3, 15) },
  'claude-sonnet-4': { ...USUAL, isFree: true, price: price(3, 15) },
  'claude-haiku-5-5': {
    ...LARGE,
    price: price(0.1, 0.5),
    longPrompts: { above: 100_000, price: price(0.5, 2.5) },
  },
  'claude-haiku-4-5': { ...USUAL, price: price(1, 5) },
};

/** Names of all models with a known price. */
export const KNOWN_MODELS: readonly string[] = Object.keys(MODELS);

/**
 * Removes the date or a final `-0` from a model name. For example, `claude-sonnet-4-5-20250929` and
 * `claude-opus-4-0` are listed without these endings.
 */
function familyOf(model: string): string {
  return model.replace(/-\d{8}$/u, '').replace(/-0$/u, '');
}

/** Returns the entry for a model, or `undefined` if it is not listed. */
export function listedModel(model: string): ListedModel | undefined {
  const name = familyOf(model);
  return Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
}

/** Whether the model's thinking requires a token budget. */
export function hasBudget(model: string): boolean {
  return listedModel(model)?.hasBudget === true;
}
