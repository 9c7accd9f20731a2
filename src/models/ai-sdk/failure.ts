import type { HitlError } from '../../core/index.js';
import { isHitlError, membersOf, messageOf } from '../../core/index.js';
import { providerError } from '../provider-error.js';
import { scrub } from '../scrub.js';
import type { AiSdkModel } from './sdk-model.js';

/** A failure of a provider of the AI SDK as one of ours: what its error says of status and of asking again is kept. */
export function sdkError(thrown: unknown, { provider, modelId }: AiSdkModel): HitlError {
  if (isHitlError(thrown)) return thrown;
  const { statusCode, isRetryable, responseHeaders, name } = membersOf(thrown);
  const isKey = name === 'AI_LoadAPIKeyError';
  const after = Number(membersOf(responseHeaders)['retry-after']);
  const request = membersOf(responseHeaders)['x-request-id'];
  return providerError(
    {
      who: provider,
      model: modelId,
      message: scrub(messageOf(thrown), []),
      keyVariable: `the key that \`${provider}\` reads`,
      ...(typeof statusCode === 'number' && { status: statusCode }),
      ...(isKey && { type: 'authentication_error' }),
      ...(isKey ? { retryable: false } : typeof isRetryable === 'boolean' && { retryable: isRetryable }),
      ...(typeof request === 'string' && { requestId: request }),
      ...(Number.isFinite(after) && after > 0 && { retryAfterMs: after * 1000 }),
    },
    thrown,
  );
}
