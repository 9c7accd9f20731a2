import * as z from 'zod/mini';

import type { Tool } from '../core/index.js';
import { defineTool } from './define-tool.js';

import { ASKED, From } from './asked-from.js';

const Request = z.object({
  action: z.string().check(z.minLength(1), z.maxLength(2_000)),
  facts: z.optional(
    z.record(z.string().check(z.minLength(1), z.maxLength(80)), z.string().check(z.maxLength(2_000))),
  ),
  diff: z.optional(z.string().check(z.maxLength(200_000))),
  from: From,
});

/**
 * Asks for a yes to what another program is about to do. What it says of that is its own word: nothing of it is done or
 * looked at here.
 */
export function requestApproval(): Tool {
  return defineTool(
    {
      name: 'request_approval',
      description: 'Asks the person here to approve what another program is about to do.',
      input: Request,
      effect: 'none',
      endsRun: true,
      origin: ASKED,
      title: ({ from, action }) => `${from} wants to: ${action}`,
      approval: () => ({
        warnings: ['all of this is what the other program says; nothing of it was looked at here'],
        allowed: ['approve', 'reject'],
      }),
    },
    () => ({ approved: true }),
  );
}
