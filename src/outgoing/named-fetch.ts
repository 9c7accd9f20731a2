/**
 * `fetch` for a server that the user named: also to local addresses, without redirects. For a URL from anyone
 * else, use `guardedFetch`.
 */
export const namedFetch: typeof fetch = (url, init) => fetch(url, { redirect: 'manual', ...init });
