import { safeJson } from '../core/data/safe-json.js';
import { problemOf } from '../core/told/http-problem.js';

/**
 * Creates the response of a refusal or failure: its status, and `{"error":{"code","message","hint"}}`, which
 * `readEvents` throws at the client. Invalid requests are 400, conflicts 409, locked sessions 503. Details of bugs
 * are not sent.
 */
export function toRefusal(thrown: unknown): Response {
  const { status, headers, error } = exposedOf(thrown) ?? problemOf(thrown);
  return new Response(safeJson({ error }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Express and body parsers mark errors that a client may read. */
function exposedOf(thrown: unknown): ReturnType<typeof problemOf> | undefined {
  if (!(thrown instanceof Error && 'expose' in thrown && 'status' in thrown)) return undefined;
  const { expose, status, message } = thrown;
  if (expose !== true || typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return { status, error: { code: 'BAD_INPUT', message } };
}
