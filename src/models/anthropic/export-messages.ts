import type { JsonObject, ModelRequest } from '../../core/index.js';
import { toRequest } from './request/to-request.js';
import { WireTools } from './request/wire-tools.js';

/**
 * Converts a history to the body of a Messages API request. The body is meant for other programs; hitl itself
 * does not send it.
 */
export function anthropicBody(request: ModelRequest, model: string): JsonObject {
  const tools = new WireTools(request.tools);
  return toRequest(request, tools, {
    model,
    maxOutputTokens: 4096,
    promptCaching: false,
    unsignedReasoning: false,
  });
}
