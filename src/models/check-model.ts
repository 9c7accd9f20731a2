import { checkedHost, serverOf } from './anthropic/messages-server.js';
import type { ServerOptions } from './anthropic/messages-server.js';
import type { ModelSpec, SpecContext } from './model-spec.js';
import { parseModelSpec } from './model-spec.js';

/**
 * Parses a spec and reports all errors that can be found without loading the provider's code. Does not read
 * files.
 * @throws HitlError USAGE for an unknown spec, BAD_CONFIG for a provider without a key or with an invalid
 * URL.
 */
export function checkModel(spec: string, options: SpecContext & ServerOptions = {}): ModelSpec {
  const parsed = parseModelSpec(spec, options);
  const { baseUrl, allowHttp = false } = options;
  if (parsed.type === 'anthropic') serverOf(options);
  if (parsed.type === 'ai-sdk' && baseUrl !== undefined) checkedHost(baseUrl, allowHttp);
  return parsed;
}
