import type { JsonObject, JsonValue, Usage } from '../../core/index.js';
import { isJsonObject, present } from '../../core/index.js';
import type { Price } from './known-models.js';
import { listedModel } from './known-models.js';

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * Fields of the usage report that are used. All others are dropped, so that the report's size stays limited
 * (T18).
 */
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

/**
 * Merges token counts from a stream. Later counts replace earlier ones. Counts that are missing from the
 * later ones keep their value.
 */
export function mergeCounts(earlier: JsonObject, later: JsonValue | undefined): JsonObject {
  if (later === undefined || !isJsonObject(later)) return earlier;
  const counts = COUNTED.flatMap((name) => {
    const value = Object.hasOwn(later, name) ? (later[name] ?? null) : null;
    return value === null ? [] : [[name, value] as const];
  });
  return { ...earlier, ...Object.fromEntries(counts) };
}

/**
 * Whether the list price applies. This requires the standard tier, a region other than `us`, and no provider
 * tools that are billed separately.
 */
function isListPriced(counts: JsonObject): boolean {
  const { service_tier: tier, inference_geo: geo, server_tool_use: tools } = counts;
  const used = tools !== undefined && isJsonObject(tools) ? Object.values(tools) : [];
  const free = used.every((uses) => uses === 0);
  return (tier === undefined || tier === 'standard') && geo !== 'us' && free;
}

/**
 * Converts the provider's token counts. `inputTokens` covers the whole prompt, including cache reads and
 * writes. `model` is the model's name in the price list. Without it, the cost is unknown.
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

/** Token counts of one reply as billed by the provider. `input` does not include cached tokens. */
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

/** Returns the list price of a reply in US dollars, or `undefined` if the model is not in the price list. */
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
