import type { SendOutcome } from '../core/index.js';
import type { PostReply } from './post.js';

/** Status codes after which the same request may succeed later. */
const LATER: ReadonlySet<number> = new Set([401, 403, 404, 408, 409, 425, 429]);
const SUCCESS = { from: 200, to: 300 } as const;
const SERVER_FAULT = 500;

/** Converts a response to a send outcome. */
export function outcomeOf(reply: PostReply): SendOutcome {
  if (reply.type === 'failed') return reply;
  const { status, pauseMs } = reply;
  if (status >= SUCCESS.from && status < SUCCESS.to) return { type: 'sent' };
  const isRedirect = status >= SUCCESS.to && status < 400;
  const why = isRedirect ? `HTTP ${status}: redirect not followed` : `HTTP ${status}`;
  const forGood = status < SERVER_FAULT && !LATER.has(status);
  return { type: 'failed', why, ...(forGood && { forGood }), ...(pauseMs !== undefined && { pauseMs }) };
}
