import type { JsonObject, ModelRequest } from '../../core/index.js';
import { toRequest } from './request/to-request.js';
import { WireTools } from './request/wire-tools.js';

/** A history as the body of a request to the Messages API, for other programs; it is not sent. */
export function anthropicBody(request: ModelRequest, model: string): JsonObject {
  const tools = new WireTools(request.tools);
  return toRequest(request, tools, {
    model,
    maxOutputTokens: 4096,
    promptCaching: false,
    unsignedReasoning: false,
  });
}
