import type { Session } from '../../core/index.js';
import { SecretVault } from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { isInForce, reviewerOf } from '../../reviewer/index.js';

/** Run settings that chats and workflows have in common. */
export type RunSettings = Pick<
  RunOptions,
  'model' | 'tools' | 'clock' | 'limits' | 'maxOutputTokens' | 'onToolError' | 'context'
> & { readonly reviewer?: Reviewer | ReviewFunction };

/** Returns the options for a run of a session. */
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
