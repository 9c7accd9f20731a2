import * as z from 'zod';

import type { Tool } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { ASKED, From } from './from.js';

const Request = z.object({
  action: z.string().min(1).max(2_000),
  facts: z.record(z.string().min(1).max(80), z.string().max(2_000)).optional(),
  diff: z.string().max(200_000).optional(),
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
