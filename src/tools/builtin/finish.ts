import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { BUILT_IN } from './builtin-options.js';

/** Ends an autonomous task; its input is the run's result. */
export function finish(): Tool {
  return defineTool(
    {
      name: 'finish',
      description: 'Ends the task. Call it once, when everything is done or cannot be done, with the result.',
      input: z.object({ result: z.string().check(z.describe('what was achieved, or why it could not be')) }),
      output: z.string(),
      effect: 'none',
      endsRun: true,
      origin: BUILT_IN,
    },
    ({ result }) => result,
  );
}
