/**
 * Headers added to every response. They disable external resources, framing and caching. The referrer is sent
 * only within the site. If it were disabled, browsers would not send an origin with a form, and every answer
 * would be refused.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Adds the common headers to a response. */
export function secured(response: Response, cookie?: string): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (cookie !== undefined) response.headers.append('set-cookie', cookie);
  return response;
}
