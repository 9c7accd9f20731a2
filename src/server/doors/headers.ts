/**
 * The headers of every answer. Nothing is loaded from elsewhere, nobody frames a page, and nothing is kept. The referrer
 * stays within the site: without one a browser names no origin with a form, and every answer would be refused.
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

/** Adds what every answer says. */
export function secured(response: Response, cookie?: string): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (cookie !== undefined) response.headers.append('set-cookie', cookie);
  return response;
}
