import type { Tool } from '../../core/index.js';
import { realFolder } from '../../files/index.js';

import { askUser } from './ask-user.js';
import { editFileTool } from './edit-file.js';
import { fetchUrl } from './fetch-url.js';
import { listFiles } from './list-files.js';
import type { BuiltinOptions } from './builtin-options.js';
import { readFileTool } from './read-file.js';
import { runCommand } from './run-command.js';
import { searchFiles } from './search-files.js';
import { todo } from './todo.js';
import { writeFileTool } from './write-file.js';
import * as z from 'zod/mini';
import { defineTool } from '../define-tool.js';
import { BUILT_IN } from './builtin-options.js';

export type { BuiltinOptions } from './builtin-options.js';
export { answerSchemaOf, payloadOf, question } from './ask-user.js';
export { leftBehind } from './left-behind.js';
export type { GrantOptions } from './request-grant.js';
export { requestGrant } from './request-grant.js';
export { killGroup } from './process-group.js';

/** Ends an autonomous task; its input is the run's result. */
function finish(): Tool {
  return defineTool(
    {
      name: 'finish',
      description: 'Ends the task. Call it once, with the result, when everything is done or cannot be done.',
      input: z.object({ result: z.string().check(z.describe('what was achieved, or why not')) }),
      output: z.string(),
      effect: 'none',
      endsRun: true,
      origin: BUILT_IN,
    },
    ({ result }) => result,
  );
}

/**
 * Returns the built-in tools. Reading inside the working directory, except files that often contain keys,
 * needs no approval; all other reading, changing and sending asks.
 */
export function builtinTools(given: BuiltinOptions): readonly Tool[] {
  const options = { ...given, cwd: realFolder(given.cwd) };
  return [
    askUser(),
    listFiles(options),
    readFileTool(options),
    searchFiles(options, options.clock),
    writeFileTool(options),
    editFileTool(options),
    runCommand(options),
    fetchUrl(options),
    todo(),
    finish(),
  ];
}
