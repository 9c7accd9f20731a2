import * as z from 'zod/mini';

import type { Tool } from '../core/index.js';
import { answerSchemaOf, payloadOf, question } from './builtin/index.js';
import { defineTool } from './define-tool.js';

/** The displayed origin of tools by which other programs ask. */
const ASKED = 'hitl mcp';

/** The asking program by its own name, and its start folder. */
const From = z.string().check(z.minLength(1), z.maxLength(200));

/** Another program's question, which must not ask for a secret. */
const AskHuman = z
  .safeExtend(question(), { from: From })
  .check(
    z.refine(
      ({ fields }) => fields?.every(({ type }) => type !== 'secret') !== false,
      'secrets are never typed into a question of another program',
    ),
  );

/** Asks another program's question; the session ends with its answer. */
export function askHuman(): Tool {
  return defineTool(
    {
      name: 'ask_human',
      description: 'Asks the user a question from another program.',
      input: AskHuman,
      effect: 'none',
      endsRun: true,
      origin: ASKED,
      title: ({ from, question }) => `${from} asks: ${question}`,
    },
    ({ from, ...question }, context) =>
      context.interrupt(
        { ...payloadOf(question), from },
        { kind: 'question', answerSchema: answerSchemaOf(question) },
      ),
  );
}

const Request = z.object({
  action: z.string().check(z.minLength(1), z.maxLength(2_000)),
  facts: z.optional(
    z.record(z.string().check(z.minLength(1), z.maxLength(80)), z.string().check(z.maxLength(2_000))),
  ),
  diff: z.optional(z.string().check(z.maxLength(200_000))),
  from: From,
});

/**
 * Asks for approval of another program's action. Its description is unverified: nothing of it runs or is
 * checked here.
 */
export function requestApproval(): Tool {
  return defineTool(
    {
      name: 'request_approval',
      description: 'Asks the user to approve what another program is about to do.',
      input: Request,
      effect: 'none',
      endsRun: true,
      origin: ASKED,
      title: ({ from, action }) => `${from} wants to: ${action}`,
      approval: () => ({
        warnings: ['Reported by the other program; not verified by hitl'],
        allowed: ['approve', 'reject'],
      }),
    },
    () => ({ approved: true }),
  );
}
