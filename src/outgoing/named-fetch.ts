/**
 * `fetch` for a server that the user specified. Local addresses are allowed, but redirects are not followed.
 * For a URL from any other source, use `guardedFetch`.
 */
export const namedFetch: typeof fetch = (url, init) => fetch(url, { redirect: 'manual', ...init });
