import type { IncomingMessage } from 'node:http';

import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { HitlError, messageOf, withinTime } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import type { BuiltinOptions } from './builtin-options.js';
import { BUILT_IN } from './builtin-options.js';
import { httpGet } from './http-get.js';
import { readBody } from './read-body.js';
import { addressesOf } from './resolve-host.js';
import { firstRequest, resolvedRequest, sendable, urlProblem, urlRequest } from './url-request.js';

/** Time limit from resolving the host to receiving the last byte, in milliseconds. */
const TIMEOUT_MS = 30_000;

const Input = z
  .object({ url: z.string().check(z.minLength(1), z.maxLength(4000), z.describe('http or https')) })
  .check(
    z.superRefine(({ url }, context) => {
      const problem = urlProblem(url);
      if (problem !== undefined) context.addIssue({ code: 'custom', path: ['url'], message: problem });
    }),
  );

/**
 * Creates a tool that fetches text with GET. The user approves each URL. The host is resolved only after the
 * approval, because the lookup alone could send data in the name. If the host unexpectedly resolves to this
 * machine or the local network, the user is asked again. Only the checked addresses are used, and redirects
 * are not followed.
 */
export function fetchUrl({ clock, lookup }: Pick<BuiltinOptions, 'clock' | 'lookup'>): Tool {
  return defineTool(
    {
      name: 'fetch_url',
      description:
        'Fetches text (HTML, JSON, plain) from a URL with GET. The user approves each URL. Redirects are reported, not followed.',
      input: Input,
      effect: 'idempotent',
      origin: BUILT_IN,
      needsApproval: true,
      approval: ({ url }) => firstRequest(url),
    },
    async ({ url: given }, context) => {
      confirmStill(context, urlRequest(given));
      const url = sendable(given);
      const late = () => new HitlError('TOOL_FAILED', `${url.host} did not answer within ${TIMEOUT_MS} ms`);
      const fetchAll = async (signal: AbortSignal) => {
        const addresses = await reached(url, addressesOf(url, lookup), signal);
        confirmStill(context, resolvedRequest(given, addresses));
        return reached(url, fetchText(url, addresses, signal), signal);
      };
      return withinTime(fetchAll, { clock, ms: TIMEOUT_MS, late }, context.signal);
    },
  );
}

/** Waits for a step of the request. If it fails, adds the host and the problem to the error. */
async function reached<Result>(url: URL, work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    const result = await work;
    signal.throwIfAborted();
    return result;
  } catch (error) {
    signal.throwIfAborted();
    throw new HitlError('TOOL_FAILED', `${url.host} is unreachable: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Fetches a URL from the given addresses of its host. Reports a redirect instead of following it. */
async function fetchText(url: URL, addresses: readonly string[], signal: AbortSignal) {
  const response = await httpGet(url, addresses, signal);
  try {
    const status = response.statusCode ?? 0;
    const target = redirectTarget(response, url);
    if (target !== undefined) {
      const note = 'redirects are not followed; fetch the other URL separately if you need it';
      return { url: url.href, status, redirectedTo: target.href, note };
    }
    return { url: url.href, status, ...(await readBody(response, signal)) };
  } finally {
    response.destroy();
  }
}

function redirectTarget({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (statusCode < 300 || statusCode > 399 || location === undefined) return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
}
