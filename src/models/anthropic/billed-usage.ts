import type { JsonObject, JsonValue, Usage } from '../../core/index.js';
import { isJsonObject, present } from '../../core/index.js';
import type { Price } from './known-models.js';
import { listedModel } from './known-models.js';

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The provider's counts in use; others are dropped, however many (T18). */
const COUNTED = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
  'service_tier',
  'inference_geo',
  'server_tool_use',
];

/** A stream's later counts replace earlier ones; missing ones stay. */
export function mergeCounts(earlier: JsonObject, later: JsonValue | undefined): JsonObject {
  if (later === undefined || !isJsonObject(later)) return earlier;
  const counts = COUNTED.flatMap((name) => {
    const value = Object.hasOwn(later, name) ? (later[name] ?? null) : null;
    return value === null ? [] : [[name, value] as const];
  });
  return { ...earlier, ...Object.fromEntries(counts) };
}

/** Whether the list price applies: standard tier, any region, and no separately priced provider tools. */
function isListPriced(counts: JsonObject): boolean {
  const { service_tier: tier, inference_geo: geo, server_tool_use: tools } = counts;
  const used = tools !== undefined && isJsonObject(tools) ? Object.values(tools) : [];
  const free = used.every((uses) => uses === 0);
  return (tier === undefined || tier === 'standard') && geo !== 'us' && free;
}

/**
 * Converts the provider's counts: `inputTokens` is the whole prompt, including cache reads and writes.
 * `model` is the price list's; without it there is no cost.
 */
export function usageOf(counts: JsonObject, model: string | undefined): Usage | undefined {
  const input = count(counts['input_tokens']);
  const output = count(counts['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const cacheRead = count(counts['cache_read_input_tokens']);
  const written = count(counts['cache_creation_input_tokens']);
  const lives = counts['cache_creation'];
  const hour =
    lives !== undefined && isJsonObject(lives) ? (count(lives['ephemeral_1h_input_tokens']) ?? 0) : 0;
  const tokens = {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: cacheRead ?? 0,
    cacheWrite: Math.max(0, (written ?? 0) - hour),
    cacheWriteHour: hour,
  };
  const costUsd = model !== undefined && isListPriced(counts) ? costOf(model, tokens) : undefined;
  return {
    inputTokens: tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWriteHour,
    outputTokens: tokens.output,
    ...present({ cacheReadTokens: cacheRead, cacheWriteTokens: written, costUsd }),
  };
}

/** Tokens of one reply by the provider's count: `input` excludes the cache. */
type BilledTokens = Readonly<Record<keyof Price, number>>;

function priceOf(
  model: string,
  { input, cacheRead, cacheWrite, cacheWriteHour }: BilledTokens,
): Price | undefined {
  const listed = listedModel(model);
  const prompt = input + cacheRead + cacheWrite + cacheWriteHour;
  const long = listed?.longPrompts;
  return long !== undefined && prompt > long.above ? long.price : listed?.price;
}

/** Returns a reply's list price in US dollars; `undefined` for an unlisted model. */
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
