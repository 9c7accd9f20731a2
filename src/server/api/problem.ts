import type { Problem } from '../../core/index.js';

/** The response of a failure. */
export function problemResponse({ status, error }: Problem): Response {
  return Response.json({ error }, { status });
}

/** A refusal by the server itself. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: { readonly hint?: string; readonly first?: object } = {},
): Response {
  return Response.json({ error: { code, message, ...more } }, { status });
}
