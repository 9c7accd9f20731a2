import type { JsonObject, JsonValue, Usage } from '../../core/index.js';
import { isJsonObject, present } from '../../core/index.js';
import { costOf } from './prices.js';

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The counts of the provider that are looked at; the rest is not kept, however much it is (T18). */
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

/** The later counts of a stream replace the earlier ones; what they leave out stays. */
export function mergeCounts(earlier: JsonObject, later: JsonValue | undefined): JsonObject {
  if (later === undefined || !isJsonObject(later)) return earlier;
  const counts = COUNTED.flatMap((name) => {
    const value = Object.hasOwn(later, name) ? (later[name] ?? null) : null;
    return value === null ? [] : [[name, value] as const];
  });
  return { ...earlier, ...Object.fromEntries(counts) };
}

/** True where the list price holds: the standard tier, anywhere, and no tools of the provider with a price of their own. */
function isListPriced(counts: JsonObject): boolean {
  const { service_tier: tier, inference_geo: geo, server_tool_use: tools } = counts;
  const used = tools !== undefined && isJsonObject(tools) ? Object.values(tools) : [];
  const free = used.every((uses) => uses === 0);
  return (tier === undefined || tier === 'standard') && geo !== 'us' && free;
}

/**
 * The provider's counts in ours: `inputTokens` is the whole prompt, with what came from the cache and what was
 * written to it. `model` is that of the price list; without it there is no cost.
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
