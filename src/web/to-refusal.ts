import { safeJson } from '../core/data/safe-json.js';
import { problemOf } from '../core/told/http-problem.js';

/**
 * Creates the response for a refusal or failure. It has the matching status and the body
 * `{"error":{"code","message","hint"}}`, which `readEvents` throws as an error on the client. The status is
 * 400 for invalid requests, 409 for conflicts and 503 for locked sessions. Does not reveal details of bugs.
 */
export function toRefusal(thrown: unknown): Response {
  const { status, headers, error } = exposedOf(thrown) ?? problemOf(thrown);
  return new Response(safeJson({ error }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns the response data for an error that Express or a body parser marked as safe to show to clients. */
function exposedOf(thrown: unknown): ReturnType<typeof problemOf> | undefined {
  if (!(thrown instanceof Error && 'expose' in thrown && 'status' in thrown)) return undefined;
  const { expose, status, message } = thrown;
  if (expose !== true || typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return { status, error: { code: 'BAD_INPUT', message } };
}
