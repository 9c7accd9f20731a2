import * as z from 'zod';

import type { Tool } from '../../core/index.js';
import { HitlError, messageOf } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { readBody } from './read-body.js';
import { BUILT_IN } from './origin.js';
import { sendable, urlProblem, urlRequest } from './url-request.js';

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;

const Input = z
  .object({ url: z.string().min(1).max(4000).describe('http or https') })
  .superRefine(({ url }, context) => {
    const problem = urlProblem(url);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['url'], message: problem });
  });

/** Fetches text with GET; a person approves the host each time, and a redirect to another one is not followed. */
export function fetchUrl(): Tool {
  return defineTool(
    {
      name: 'fetch_url',
      description:
        'Fetches a text (HTML, JSON, plain) from a web address with GET. The person approves each address. A redirect to another host is not followed but told.',
      input: Input,
      effect: 'idempotent',
      origin: BUILT_IN,
      approval: ({ url }) => urlRequest(url),
    },
    async ({ url }, context) => fetchText(sendable(url), context.signal),
  );
}

async function fetchText(start: URL, signal: AbortSignal) {
  const scope = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const redirects: string[] = [];
  let url = start;
  for (;;) {
    const response = await get(url, scope);
    const { status } = response;
    const target = redirectTarget(response, url);
    if (target === undefined)
      return { url: url.href, status, ...(await readBody(response, scope)), ...listed(redirects) };
    await response.body?.cancel();
    redirects.push(target.href);
    const why = refusal(url, target, redirects.length);
    if (why !== undefined)
      return { url: url.href, status, redirectedTo: target.href, note: why, ...listed(redirects) };
    url = target;
  }
}

function listed(redirects: readonly string[]) {
  return redirects.length > 0 ? { redirects: [...redirects] } : {};
}

async function get(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { accept: 'text/*, application/json, */*;q=0.1', 'user-agent': 'hitl' };
    return await fetch(url.href, { headers, redirect: 'manual', signal });
  } catch (error) {
    if (signal.aborted) throw timeoutOr(signal.reason, url);
    // The reason is in the cause: `fetch failed` says nothing.
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new HitlError('TOOL_FAILED', `${url.host} could not be reached: ${messageOf(cause)}`, {
      cause: error,
    });
  }
}

function timeoutOr(reason: unknown, url: URL): unknown {
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') return reason;
  return new HitlError('TOOL_FAILED', `${url.host} did not answer within ${TIMEOUT_MS} ms`, {
    cause: reason,
  });
}

function redirectTarget({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null || !URL.canParse(location, from.href))
    return undefined;
  return new URL(location, from.href);
}

/** What was approved is this host; anything else is a new question. */
function refusal(from: URL, to: URL, count: number): string | undefined {
  if (count > MAX_REDIRECTS) return `more than ${MAX_REDIRECTS} redirects`;
  const upgraded = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  if (to.origin === from.origin || (upgraded && from.port === '' && to.port === '')) return undefined;
  return 'the redirect leads to another host, which was not approved; fetch it by itself if it is wanted';
}
