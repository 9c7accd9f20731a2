/** The time after which it may be tried again where all slots are taken, in seconds. */
const AGAIN_S = 5;

/** The response where as many sessions run as may. */
export function busy(): Response {
  const response = refusal(503, 'BUSY', 'as many sessions run here as may at the same time', {
    hint: 'nothing has begun: try again later',
  });
  response.headers.set('retry-after', `${AGAIN_S}`);
  return response;
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
