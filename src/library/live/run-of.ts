import type { Session } from '../../core/index.js';
import { SecretVault } from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';

/** The settings that runs of chats and of workflows share. */
export type RunSettings = Pick<
  RunOptions,
  'model' | 'tools' | 'clock' | 'limits' | 'maxOutputTokens' | 'onToolError' | 'context'
>;

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
