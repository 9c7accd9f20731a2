import type { ModelRequest, RunState } from '../core/index.js';
import { replySettings } from '../core/index.js';
import type { RunOptions } from './run-options.js';

/** The next request of a run to its model. */
export function requestOf({ view, interruptCount }: RunState, options: RunOptions): ModelRequest {
  const { tools, system, maxOutputTokens, outputSchema } = options;
  return {
    messages: view,
    tools: tools.descriptors,
    ...(system !== undefined && { system }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...replySettings(options),
    // Where a person was asked once, the next answer may take longer than a cache lives by itself.
    ...(interruptCount > 0 && { cacheFor: 'hour' }),
  };
}
