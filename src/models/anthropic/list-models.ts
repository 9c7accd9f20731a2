import type { JsonObject, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject, membersOf, parseStrictJson } from '../../core/index.js';
import { listedModel } from './known-models.js';

/** A model that a server offers, as described by the server. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  /** Maximum number of tokens in a request. */
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  /** `deprecated` or `retired`, as reported by the server. Absent if the model is active. */
  readonly lifecycle?: string;
  /** ISO 8601. */
  readonly retiresAt?: string;
  /** Supported input types and features, such as `image_input` or `structured_outputs`. */
  readonly capabilities?: readonly string[];
  /** Prices in US dollars per million prompt and reply tokens. Absent if they are unknown. */
  readonly price?: { readonly input: number; readonly output: number };
}

/** Maximum number of models to read from a list. Any others are ignored. */
const MOST = 1_000;

/**
 * Parses the response of `GET /v1/models`. Accepts Anthropic's format, and the simpler format of other
 * servers that contains only names. Returns `undefined` for anything else.
 */
export function readModels(text: string): readonly OfferedModel[] | undefined {
  const read = parseStrictJson(text);
  const data = read.ok && isJsonObject(read.value) ? (read.value['data'] ?? null) : null;
  if (!isJsonArray(data)) return undefined;
  return data.slice(0, MOST).flatMap((entry) => (isJsonObject(entry) ? offered(entry) : []));
}

function offered(entry: JsonObject): readonly OfferedModel[] {
  const { id, display_name, max_input_tokens, max_tokens, lifecycle, retires_at, capabilities } = entry;
  if (typeof id !== 'string' || id === '') return [];
  const price = listedModel(id)?.price;
  const can = Object.entries(membersOf(capabilities)).flatMap(([name, of]) =>
    isSupported(of) ? [name] : [],
  );
  return [
    {
      id,
      ...(typeof display_name === 'string' && { name: display_name }),
      ...(typeof max_input_tokens === 'number' && { contextTokens: max_input_tokens }),
      ...(typeof max_tokens === 'number' && { outputTokens: max_tokens }),
      ...(typeof lifecycle === 'string' && lifecycle !== 'active' && { lifecycle }),
      ...(typeof retires_at === 'string' && { retiresAt: retires_at }),
      ...(can.length > 0 && { capabilities: can }),
      ...(price !== undefined && { price: { input: price.input, output: price.output } }),
    },
  ];
}

function isSupported(of: JsonValue | undefined): boolean {
  return membersOf(of)['supported'] === true;
}
