import type { JsonObject, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject, membersOf, parseStrictJson } from '../../core/index.js';
import { listedModel } from './known-models.js';

/** A model of a server, as the server describes it. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  /** Maximum tokens of a request with its reply. */
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  /** `deprecated` or `retired`, in the server's words; absent if in use. */
  readonly lifecycle?: string;
  /** ISO 8601. */
  readonly retiresAt?: string;
  /** Other input kinds and features: `image_input`, `structured_outputs`. */
  readonly capabilities?: readonly string[];
  /** US dollars per million prompt and reply tokens, if the price is known here. */
  readonly price?: { readonly input: number; readonly output: number };
}

/** Maximum number of models in a list; a longer one is cut. */
const MOST = 1_000;

/** Reads the answer of `GET /v1/models`, in the provider's form or in that of others, which say no more than names; `undefined` for anything else. */
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
