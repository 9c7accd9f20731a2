import { checkedHost, serverOf } from './anthropic/messages-server.js';
import type { ServerOptions } from './anthropic/messages-server.js';
import type { ModelSpec, SpecContext } from './model-spec.js';
import { parseModelSpec } from './model-spec.js';

/**
 * Parses a spec, and finds every possible error before its provider's code is loaded. Does not read files.
 * @throws HitlError USAGE for an unknown spec, BAD_CONFIG for a provider without a key or with a bad URL.
 */
export function checkModel(spec: string, options: SpecContext & ServerOptions = {}): ModelSpec {
  const parsed = parseModelSpec(spec, options);
  const { baseUrl, allowHttp = false } = options;
  if (parsed.type === 'anthropic') serverOf(options);
  if (parsed.type === 'ai-sdk' && baseUrl !== undefined) checkedHost(baseUrl, allowHttp);
  return parsed;
}
