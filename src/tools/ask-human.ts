import * as z from 'zod/mini';

import type { Tool } from '../core/index.js';
import { answerSchemaOf, payloadOf, question } from './builtin/index.js';
import { defineTool } from './define-tool.js';

import { ASKED, From } from './asked-from.js';

/** A question of another program: nobody types a secret into it. */
const AskHuman = z
  .safeExtend(question(), { from: From })
  .check(
    z.refine(
      ({ fields }) => fields?.every(({ type }) => type !== 'secret') !== false,
      'a secret is typed into no question of another program',
    ),
  );

/** Puts the question of another program; the session ends with its answer. */
export function askHuman(): Tool {
  return defineTool(
    {
      name: 'ask_human',
      description: 'Asks the person here a question of another program.',
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
