import type { Session } from '../../core/index.js';
import { SecretVault } from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { isInForce, reviewerOf } from '../../reviewer/index.js';

/** The settings that runs of chats and of workflows share. */
export type RunSettings = Pick<
  RunOptions,
  'model' | 'tools' | 'clock' | 'limits' | 'maxOutputTokens' | 'onToolError' | 'context'
> & { readonly reviewer?: Reviewer | ReviewFunction };

/** The options of the runs of a session. */
export function runOf(session: Session, settings: RunSettings): RunOptions {
  const { id } = session;
  const { model, tools, clock, limits, maxOutputTokens, onToolError, context, reviewer } = settings;
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
    ...(reviewer !== undefined && { reviewedBy: isInForce(reviewerOf(reviewer), session) }),
  };
}
