import type { HitlError } from '../../core/index.js';
import { isHitlError, membersOf, messageOf } from '../../core/index.js';
import { isRedirect, providerError, redirected, retryAfterOf } from '../provider-error.js';
import { scrub } from '../scrub.js';
import { BrokenReply } from './broken-reply.js';
import type { AiSdkModel } from './sdk-model.js';

/**
 * Converts an error of an AI SDK provider, keeping its status and retry information. A `retry-after` date is
 * converted relative to `now`.
 */
export function sdkError(thrown: unknown, { provider, modelId }: AiSdkModel, now: number): HitlError {
  const found = ownIn(thrown);
  if (isHitlError(found)) return found;
  const failed = found ?? thrown;
  const { statusCode, isRetryable, responseHeaders, name } = membersOf(failed);
  const isKey = name === 'AI_LoadAPIKeyError';
  const headers = membersOf(responseHeaders);
  const header = (wanted: string): string | null => {
    const value = headers[wanted];
    return typeof value === 'string' ? value : null;
  };
  const status = typeof statusCode === 'number' ? statusCode : undefined;
  const after = retryAfterOf(header, now);
  const request = header('x-request-id') ?? header('request-id');
  return providerError(
    {
      who: provider,
      model: modelId,
      message: isRedirect(status) ? redirected(header('location')) : scrub(messageOf(failed), []),
      keyVariable: `the API key for \`${provider}\``,
      ...(status !== undefined && { status }),
      ...(isKey && { type: 'authentication_error' }),
      ...(isKey ? { retryable: false } : typeof isRetryable === 'boolean' && { retryable: isRetryable }),
      ...(request !== null && { requestId: request }),
      ...(after !== undefined && { retryAfterMs: after }),
    },
    thrown,
  );
}

const MOST_CAUSES = 5;

/** Finds one of hitl's own errors that a package has wrapped in its own. */
function ownIn(thrown: unknown): BrokenReply | HitlError | undefined {
  let found = thrown;
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (found instanceof BrokenReply || isHitlError(found)) return found;
    found = membersOf(found)['cause'];
  }
  return undefined;
}
