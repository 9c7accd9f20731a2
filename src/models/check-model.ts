import { checkedHost, serverOf } from './anthropic/messages-server.js';
import type { ServerOptions } from './anthropic/messages-server.js';
import type { ModelSpec, SpecContext } from './model-spec.js';
import { parseModelSpec } from './model-spec.js';

/**
 * Reads what a spec names, and finds all that can be wrong with it before the code of its provider is loaded. Files are
 * not read.
 * @throws HitlError USAGE for an unknown spec, BAD_CONFIG for a provider without a key or with a bad address.
 */
export function checkModel(spec: string, options: SpecContext & ServerOptions = {}): ModelSpec {
  const parsed = parseModelSpec(spec, options);
  const { baseUrl, allowHttp = false } = options;
  if (parsed.type === 'anthropic') serverOf(options);
  if (parsed.type === 'ai-sdk' && baseUrl !== undefined) checkedHost(baseUrl, allowHttp);
  return parsed;
}
