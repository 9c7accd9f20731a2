import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { currentTodo, TODO_TOOL, todoCount } from '../../core/index.js';
import { defineTool } from '../define-tool.js';
import { BUILT_IN } from './builtin-options.js';

const item = () =>
  z.object({
    text: z.string().check(z.minLength(1), z.maxLength(200), z.describe('one line')),
    state: z._default(z.enum(['open', 'doing', 'done']), 'open'),
  });

/**
 * Creates a tool that shows the user the steps that the model plans. It changes nothing else, and each call
 * replaces the list.
 */
export function todo(): Tool {
  return defineTool(
    {
      name: TODO_TOOL,
      description:
        'Shows the user your list of steps. Use it for work with three or more steps: send the whole list at the start and whenever a step starts or ends, with at most one step `doing`.',
      input: z.object({ items: z.array(item()).check(z.minLength(1), z.maxLength(100)) }),
      output: z.string(),
      effect: 'none',
      origin: BUILT_IN,
      title: ({ items }) => {
        const current = currentTodo(items);
        return `Steps: ${todoCount(items)}${current === undefined ? '' : `, now: ${current.text}`}`;
      },
    },
    ({ items }) => todoCount(items),
  );
}
