import type { Clock, Model, Session, ToolSet } from '../../core/index.js';
import { SecretVault } from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';

/** The settings that runs of chats and of workflows share. */
export interface RunSettings extends Pick<
  RunOptions,
  'limits' | 'maxOutputTokens' | 'onToolError' | 'context'
> {
  readonly model: Model;
  readonly tools: ToolSet;
  readonly clock: Clock;
}

/** The options of the runs of a session. */
export function runOf({ id }: Session, settings: RunSettings): RunOptions {
  const { model, tools, clock, limits, maxOutputTokens, onToolError, context } = settings;
  return {
    model,
    tools,
    clock,
    runId: id,
    vault: new SecretVault(),
    ...(limits && { limits }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(onToolError && { onToolError }),
    ...(context !== undefined && { context }),
  };
}
