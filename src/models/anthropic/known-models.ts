// What is known of Anthropic's models, as listed on 24 October 2026. Sources: platform.claude.com/docs, the pages
// about-claude/pricing and build-with-claude/context-windows. A model that is not here is asked all the same; its price
// and its window are then said to be unknown.

/** US dollars per million tokens. Cache writes for five minutes, and for one hour. */
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
  /** Some models cost more per token beyond this prompt length. */
  readonly longPrompts?: { readonly above: number; readonly price: Price };
  /** Tokens that a request and its reply may have together. */
  readonly window: number;
  /** Thinks within a given token budget; other models decide themselves. */
  readonly hasBudget?: true;
  /** Does not support schemas. */
  readonly isFree?: true;
}

/** Writing costs 1.25 and 2 times, reading `cacheRead` times the input price. */
function price(input: number, output: number, cacheRead = 0.1): Price {
  return { input, output, cacheRead: input * cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
}

const USUAL = { window: 200_000, hasBudget: true } as const;
const LARGE = { window: 1_000_000 } as const;

/** Every known model; newest first within a family. */
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

/** Every model with a known price. */
export const KNOWN_MODELS: readonly string[] = Object.keys(MODELS);

/**
 * The model of a versioned name: `claude-sonnet-4-5-20250929` and `claude-opus-4-0` are listed as the model
 * that they are a version of.
 */
function familyOf(model: string): string {
  return model.replace(/-\d{8}$/u, '').replace(/-0$/u, '');
}

/** Returns a listed model; `undefined` if it is not listed. */
export function listedModel(model: string): ListedModel | undefined {
  const name = familyOf(model);
  return Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
}

/** Whether the model thinks within a token budget. */
export function hasBudget(model: string): boolean {
  return listedModel(model)?.hasBudget === true;
}
